# SPDX-License-Identifier: Apache-2.0
"""GRPOLoss, CISPOLoss, MCAdvantage, sft_loss and the estimate of DistillationLoss of TorchRL, and losses in plain torch,
against the objectives of plugins/losses/language, with a decoder in PyTorch against transformer/language. Made with torchrl
0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/language.py > tests/golden/objectives/language.txt
"""

import torch
from peer import Case, header
from tensordict import TensorDict
from torch import nn
from torch.nn import functional as F
from torchrl.objectives.llm import CISPOLoss, GRPOLoss, MCAdvantage, k3_kl_token_estimate
from torchrl.objectives.llm.sft import sft_loss

PROMPT, ANSWER, TOKENS, ANSWERS = 3, 4, 5, 3
WIDTH, HEADS, INNER = 8, 2, 6
ACTIVATIONS = {"silu": F.silu, "gelu": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh")}
PLAIN = {"glu": False, "biases": True, "key_heads": 0, "vocabulary": 0, "context": 0, "norm_eps": 1e-5, "rotary_base": 10_000.0}


class Norm(nn.Module):
    def __init__(self, kind, eps):
        super().__init__()
        self.kind, self.eps, self.weight = kind, eps, nn.Parameter(torch.ones(WIDTH))
        if kind == "layer":
            self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x):
        if self.kind == "layer":
            return F.layer_norm(x, (WIDTH,), self.weight, self.bias, self.eps)
        return F.rms_norm(x, (WIDTH,), self.weight, self.eps)


def rotate(x, places, base):
    """Llama's rotary positions of x [.., heads, n, d]."""
    half = x.shape[-1] // 2
    angles = places[:, None] * base ** (-torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1)


class Gate(nn.Module):
    """GTrXL's, of Parisotto et al. 2019, section 3.2."""

    def __init__(self, bias=2.0):
        super().__init__()
        self.bias = bias
        for name in ("wr", "ur", "wz", "uz", "wg", "ug"):
            self.register_parameter(name, nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH))

    def forward(self, x, y):
        y = torch.relu(y)
        reset = torch.sigmoid(y @ self.wr.T + x @ self.ur.T)
        update = torch.sigmoid(y @ self.wz.T + x @ self.uz.T - self.bias)
        return (1 - update) * x + update * torch.tanh(y @ self.wg.T + (reset * x) @ self.ug.T)


class Block(nn.Module):
    def __init__(self, norm, activation, rotary, gate, shape):
        super().__init__()
        if gate == "gru":
            self.gate1, self.gate2 = Gate(), Gate()
        self.norm1, self.norm2 = Norm(norm, shape["norm_eps"]), Norm(norm, shape["norm_eps"])
        biases, self.shared = shape["biases"], HEADS // (shape["key_heads"] or HEADS)
        self.sizes = [WIDTH, WIDTH // self.shared, WIDTH // self.shared]
        self.qkv, self.out = nn.Linear(WIDTH, sum(self.sizes), biases), nn.Linear(WIDTH, WIDTH, biases)
        self.up, self.down = nn.Linear(WIDTH, INNER, biases), nn.Linear(INNER, WIDTH, biases)
        if shape["glu"]:
            self.gate = nn.Linear(WIDTH, INNER, biases)
        self.activation, self.rotary, self.base = ACTIVATIONS[activation], rotary, shape["rotary_base"]

    def forward(self, x):
        n = x.shape[-2]
        q, k, v = (part.unflatten(-1, (-1, WIDTH // HEADS)).transpose(-2, -3) for part in self.qkv(self.norm1(x)).split(self.sizes, -1))
        if self.rotary:
            q, k = (rotate(part, torch.arange(n).double(), self.base) for part in (q, k))
        k, v = (part.repeat_interleave(self.shared, -3) for part in (k, v))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = self.joined("gate1", x, self.out(seen.transpose(-2, -3).flatten(-2)))
        rows = self.norm2(x)
        inner = self.activation(self.gate(rows)) * self.up(rows) if hasattr(self, "gate") else self.activation(self.up(rows))
        return self.joined("gate2", x, self.down(inner))

    def joined(self, gate, x, y):
        return getattr(self, gate)(x, y) if hasattr(self, gate) else x + y


class Decoder(nn.Module):
    """The logits of each token of an answer after a prompt."""

    def __init__(self, layers, norm, activation, positions, tied, gate, shape):
        super().__init__()
        self.layers = layers
        self.tokens = nn.Embedding(shape["vocabulary"] or TOKENS, WIDTH)
        if positions == "learnt":
            self.positions = nn.Embedding(shape["context"] or PROMPT + ANSWER, WIDTH)
        for i in range(layers):
            self.add_module(f"block{i}", Block(norm, activation, positions == "rotary", gate, shape))
        self.norm = Norm(norm, shape["norm_eps"])
        if not tied:
            self.head = nn.Linear(WIDTH, shape["vocabulary"] or TOKENS, bias=False)

    def forward(self, prompt, answer):
        tokens = torch.cat([prompt, answer[..., :-1]], -1)
        x = self.tokens(tokens)
        if hasattr(self, "positions"):
            x = x + self.positions(torch.arange(tokens.shape[-1]))
        for i in range(self.layers):
            x = getattr(self, f"block{i}")(x)
        head = self.head.weight if hasattr(self, "head") else self.tokens.weight
        return self.norm(x)[..., prompt.shape[-1] - 1:, :] @ head[:TOKENS].T


class Tokens(torch.distributions.Categorical):
    """With the mask that TorchRL's losses read: which tokens count."""

    def __init__(self, logits, mask):
        super().__init__(logits=logits)
        self.mask = mask


class Actor(nn.Module):
    def __init__(self, decoder, temperature, stop):
        super().__init__()
        self.decoder, self.temperature, self.stop = decoder, temperature, stop

    def counted(self, answer):
        ends = (answer == self.stop).long()
        return ends.cumsum(-1) - ends == 0

    def get_dist(self, td, **_):
        answer = td["tokens", "full"]
        return Tokens(self.decoder(td["prompt"], answer) / self.temperature, self.counted(answer))

    def log_prob(self, td):
        dist = self.get_dist(td)
        return torch.where(dist.mask, dist.log_prob(td["tokens", "full"]), 0.0)


def begin(name, objective, seed, group=True, layers=1, norm="layer", activation="silu", positions="learnt", tied=True,
          gate="none", temperature=1.0, stop=-1, shape={}, **options):
    case = Case(name, objective, seed, stop=stop, **options)
    actor = Actor(Decoder(layers, norm, activation, positions, tied, gate, PLAIN | shape), temperature, stop)
    with torch.no_grad():
        for parameter in actor.parameters():
            parameter += 0.2 * case.normal(*parameter.shape)
    if group:
        case.lines += [f"group answers {ANSWERS}", "objective_group answers"]
    case.lines.append("network actor transformer/language 1")
    case.lines += [f"network_option actor {key} {value}" for key, value in {
        "layers": layers, "width": WIDTH, "heads": HEADS, "inner": INNER, "norm": f'"{norm}"', "activation": f'"{activation}"',
        "positions": f'"{positions}"', "tied": str(tied).lower(), "gate": f'"{gate}"', "temperature": temperature, "stop": stop,
        **{key: str(value).lower() for key, value in shape.items()}}.items()]
    if group:
        case.lines.append("network_group actor answers")
    return case, actor


def parameters(case, word, actor):
    for name, value in actor.decoder.named_parameters():
        case.list(f"{word} actor {name}", value)


def batch(case, actor):
    """Answers to each prompt as rows of TorchRL's, and as the agents of ours."""
    rows = case.rows
    spec = f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}"
    prompt = torch.randint(TOKENS, (rows, PROMPT), generator=case.generator)
    answer = torch.randint(TOKENS, (rows * ANSWERS, ANSWER), generator=case.generator)
    td = TensorDict({"prompt": prompt.repeat_interleave(ANSWERS, 0), "tokens": {"full": answer},
                     "advantage": case.normal(rows * ANSWERS)[:, None, None].expand(-1, ANSWER, 1).clone()},
                    batch_size=[rows * ANSWERS])
    with torch.no_grad():
        td["log_probs"] = TensorDict({"full": actor.log_prob(td) + 0.3 * case.normal(rows * ANSWERS, ANSWER)},
                                     [rows * ANSWERS])
    case.td = TensorDict({}, [rows])
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}", prompt)
    for key, spec, values in (("action", spec, answer.unflatten(0, (rows, ANSWERS))),
                              ("log_prob", f"unbounded {ANSWERS} {ANSWER}", td["log_probs", "full"].unflatten(0, (rows, ANSWERS))),
                              ("advantage", "unbounded", td["advantage"][:, 0, 0].unflatten(0, (rows, ANSWERS)))):
        case.column("answers." + key, spec, values)
    return td


def finish(case, actor, losses):
    """The gradients of the sum of these losses."""
    total = sum(losses.values())
    for name, value in losses.items():
        case.list(f"loss {name}", value)
    names, values = zip(*actor.decoder.named_parameters())
    for name, gradient in zip(names, torch.autograd.grad(total, values)):
        case.list(f"gradient update actor {name}", gradient)
    case.print([f"rows {case.rows}"])


def policy(name, seed, loss=GRPOLoss, network={}, reference=0.0, low=0.2, high=None, aggregation="token_mean", **options):
    given = {"clip_epsilon": low, "clip_higher": high or 0.0,
             "aggregate": {"token_mean": "token_mean", "prompt_mean": "answer_mean"}[aggregation], **options}
    if reference:
        given["reference_kl"] = reference
    case, actor = begin(name, "language/grpo", seed, **network, **given)
    td = batch(case, actor)
    parameters(case, "live", actor)
    if reference:
        _, other = begin(name, "language/grpo", seed + 100, **network)
        parameters(case, "reference", other)
        with torch.no_grad():
            td["next"] = TensorDict({"ref_log_probs": {"full": other.log_prob(td)}}, td.batch_size)
    out = loss(actor, clip_epsilon=(low, high) if high else low, aggregation=aggregation, entropy_bonus=False,
               kl_to_ref_coeff=reference or None)(td)
    losses = {"policy": out.loss_objective}
    if reference:
        losses["reference_kl"] = out.loss_kl_to_ref
    finish(case, actor, losses)


def fine_tuning(name, seed, network):
    case, actor = begin(name, "language/sft", seed, group=False, **network, answer="target")
    rows = case.rows
    td = TensorDict({"prompt": torch.randint(TOKENS, (rows, PROMPT), generator=case.generator),
                     "tokens": {"full": torch.randint(TOKENS, (rows, ANSWER), generator=case.generator)}}, [rows])
    case.td = TensorDict({}, [rows])
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}", td["prompt"])
    for key in ("action", "target"):
        case.column(key, f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}", td["tokens", "full"])
    parameters(case, "live", actor)
    summed = actor.log_prob(td).sum(-1) / actor.counted(td["tokens", "full"]).sum(-1)
    finish(case, actor, {"sft": sft_loss(summed, "mean")})


def lengths(name, seed, positions):
    """Prompts that are the last tokens of their column, each computed without the others, and answers of which some tokens count."""
    case, actor = begin(name, "language/sft", seed, group=False, layers=2, positions=positions, answer="target", length="answer_length")
    case.lines.append('network_option actor prompt_length "prompt_length"')
    rows = case.rows
    prompt, target = (torch.randint(TOKENS, (rows, size), generator=case.generator) for size in (PROMPT, ANSWER))
    of_prompt, of_answer = (torch.randint(1, size + 1, (rows,), generator=case.generator) for size in (PROMPT, ANSWER))
    case.td = TensorDict({}, [rows])
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}", prompt)
    case.column("prompt_length", f"categorical {PROMPT + 1}", of_prompt)
    case.column("answer_length", f"categorical {ANSWER + 1}", of_answer)
    for key in ("action", "target"):
        case.column(key, f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}", target)
    parameters(case, "live", actor)
    losses = []
    for i in range(rows):
        logits = actor.decoder(prompt[i:i + 1, PROMPT - of_prompt[i]:], target[i:i + 1])[:, :of_answer[i]]
        losses.append(F.cross_entropy(logits[0], target[i, :of_answer[i]]))
    finish(case, actor, {"sft": torch.stack(losses).mean()})


def packed(name, seed, positions, aggregate):
    """Several examples in a row, each computed without the others."""
    case, actor = begin(name, "language/sft", seed, group=False, layers=2, positions=positions, packed="packed", aggregate=aggregate)
    rows, size = case.rows, 2 * (PROMPT + ANSWER)
    case.td = TensorDict({}, [rows])
    tokens, first, weight = (torch.zeros(rows, size, dtype=kind) for kind in (torch.long, torch.long, torch.double))
    first += torch.arange(size)
    losses, counted = [], []
    for row in range(rows):
        at = 0
        while True:
            of_prompt, of_answer = (int(torch.randint(1, most + 1, (1,), generator=case.generator)) for most in (PROMPT, ANSWER))
            if at + of_prompt + of_answer > size:
                break
            example = torch.randint(TOKENS, (of_prompt + of_answer,), generator=case.generator)
            end = at + len(example)
            tokens[row, at:end], first[row, at:end], weight[row, at + of_prompt:end] = example, at, 1 / of_answer
            losses.append((example[:of_prompt], example[of_prompt:]))
            at = end
    for key, most in (("prompt", PROMPT), ("action", ANSWER)):
        case.column(key, f"multi_categorical {' '.join([str(TOKENS)] * most)}", torch.zeros(rows, most, dtype=torch.long))
    case.column("packed", f"multi_categorical {' '.join([str(TOKENS)] * size)}", tokens)
    case.column("packed_first", f"multi_categorical {' '.join([str(size)] * size)}", first)
    case.column("packed_weight", f"unbounded {size}", weight)
    parameters(case, "live", actor)
    each = [F.cross_entropy(actor.decoder(prompt[None], answer[None])[0], answer, reduction="sum") for prompt, answer in losses]
    lengths = torch.tensor([float(len(answer)) for _, answer in losses])
    each = torch.stack(each)
    finish(case, actor, {"sft": each.sum() / lengths.sum() if aggregate == "token_mean" else (each / lengths).mean()})


def advantage(name, seed):
    """Of whole answers, one step each; their rewards are those of a group."""
    case, actor = begin(name, "language/grpo", seed)
    steps, lanes = 2, 4
    shape = (steps, lanes, ANSWERS)
    reward = torch.randint(4, shape, generator=case.generator) / 3.0
    reward[0, 0] = 0.5
    transform = MCAdvantage(grpo_size=ANSWERS, prompt_key="prompt")
    written = []
    for number, group in enumerate(reward.flatten(0, 1)):
        for one in group:
            done = transform.inv(TensorDict({"prompt": torch.tensor([number]), "next": TensorDict({
                "reward": one.reshape(1, 1), "done": torch.ones(1, 1, dtype=torch.bool)}, [1])}, [1]))
        written.append(done["advantage"].reshape(-1))
    case.td = TensorDict({"next": TensorDict({}, [steps, lanes])}, [steps, lanes])
    answer = torch.randint(TOKENS, (*shape, ANSWER), generator=case.generator)
    case.column("answers.action", f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}", answer)
    case.column("answers.log_prob", f"unbounded {ANSWERS} {ANSWER}", case.normal(*shape, ANSWER))
    case.column("next.answers.reward", "unbounded", reward)
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}",
                torch.randint(TOKENS, (steps, lanes, PROMPT), generator=case.generator))
    parameters(case, "live", actor)
    case.list("written answers.advantage", torch.stack(written))
    case.print(["function prepare", f"steps {steps}", f"lanes {lanes}"])


def distillation(name, seed, direction, form, network={}, other={}):
    """To a network of its own, or to the reference; exact divergences by torch.distributions."""
    role = "teacher" if other else "reference"
    given = {"answer": "target", "direction": direction, "form": form, **({"teacher": "teacher"} if other else {})}
    case, actor = begin(name, "language/distillation", seed, group=False, **network, **given)
    teacher = begin(name, "language/distillation", seed + 100, group=False, **(other or network))
    if other:
        case.lines += [line.replace("actor", "teacher") for line in teacher[0].lines if line.startswith("network")]
    rows = case.rows
    td = TensorDict({"prompt": torch.randint(TOKENS, (rows, PROMPT), generator=case.generator),
                     "tokens": {"full": torch.randint(TOKENS, (rows, ANSWER), generator=case.generator)}}, [rows])
    case.td = TensorDict({}, [rows])
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}", td["prompt"])
    for key in ("action", "target"):
        case.column(key, f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}", td["tokens", "full"])
    parameters(case, "live", actor)
    for parameter, value in teacher[1].decoder.named_parameters():
        case.list(f"{'live teacher' if other else 'reference actor'} {parameter}", value)
    counted = actor.counted(td["tokens", "full"])
    pair = [actor, teacher[1]] if direction == "reverse" else [teacher[1], actor]
    if form == "exact":
        kl = torch.distributions.kl_divergence(*(torch.distributions.Categorical(logits=each.get_dist(td).logits) for each in pair))
    else:
        kl = k3_kl_token_estimate(pair[1].log_prob(td), pair[0].log_prob(td))
    kl = (kl * counted).sum(-1) / counted.sum(-1)
    finish(case, actor, {"distillation": kl.mean()})


def expert(name, seed, best):
    """Which answers are kept, and the loss of those."""
    case, actor = begin(name + "_kept", "language/expert_iteration", seed, best=best)
    shape = (2, 4, ANSWERS)
    reward = torch.randint(3, shape, generator=case.generator) / 2.0
    reward[0, 0] = 0.5
    case.td = TensorDict({"next": TensorDict({}, [2, 4])}, [2, 4])
    case.column("answers.action", f"multi_categorical {' '.join([str(TOKENS)] * ANSWER)}",
                torch.randint(TOKENS, (*shape, ANSWER), generator=case.generator))
    case.column("next.answers.reward", "unbounded", reward)
    case.column("prompt", f"multi_categorical {' '.join([str(TOKENS)] * PROMPT)}",
                torch.randint(TOKENS, (2, 4, PROMPT), generator=case.generator))
    parameters(case, "live", actor)
    least = reward.topk(best, -1).values[..., -1:]
    case.list("written answers.kept", ((reward >= least) & (reward > reward.amin(-1, keepdim=True))).double())
    case.print(["function prepare", "steps 2", "lanes 4"])
    case, actor = begin(name, "language/expert_iteration", seed, best=best)
    td = batch(case, actor)
    kept = torch.randint(2, (case.rows, ANSWERS), generator=case.generator).double()
    case.column("answers.kept", "unbounded", kept)
    parameters(case, "live", actor)
    summed = actor.log_prob(td).sum(-1) / actor.counted(td["tokens", "full"]).sum(-1)
    finish(case, actor, {"expert": sft_loss(summed[kept.flatten() > 0], "mean")})


header("language")
policy("grpo", 1, network={"layers": 2})
policy("grpo_answer_mean_stop", 2, network={"stop": 4}, aggregation="prompt_mean")
policy("grpo_token_mean_stop", 3, network={"stop": 4})
policy("dapo", 4, low=0.2, high=0.28)
policy("grpo_reference", 5, reference=0.3)
policy("cispo_of_torchrl", 6, loss=CISPOLoss, form="clamp")
policy("grpo_rotary_rms", 7, network={"norm": "rms", "positions": "rotary", "tied": False, "activation": "gelu"})
policy("grpo_temperature", 8, network={"temperature": 0.7})
fine_tuning("gated", 12, {"gate": "gru"})
fine_tuning("sft", 9, {})
fine_tuning("sft_stop", 10, {"stop": 4, "positions": "rotary"})
advantage("mc_advantage", 11)
lengths("sft_lengths", 22, "learnt")
lengths("sft_lengths_rotary", 23, "rotary")
packed("sft_packed", 24, "learnt", "answer_mean")
packed("sft_packed_rotary", 25, "rotary", "token_mean")
distillation("distillation", 15, "forward", "exact", network={"stop": 4})
distillation("distillation_reverse", 16, "reverse", "exact")
distillation("distillation_of_another", 17, "forward", "exact", network={"layers": 1}, other={"layers": 2, "positions": "rotary"})
distillation("distillation_sampled", 18, "reverse", "sampled")
distillation("distillation_sampled_forward", 29, "forward", "sampled")
expert("expert", 20, 1)
expert("expert_of_two", 21, 2)
policy("grpo_gpt2", 13, network={"layers": 2, "activation": "gelu_tanh", "shape": {"context": 9, "vocabulary": 7}})
policy("grpo_llama", 14, network={
    "layers": 2, "norm": "rms", "positions": "rotary", "tied": False,
    "shape": {"glu": True, "biases": False, "key_heads": 1, "vocabulary": 6, "norm_eps": 0.01, "rotary_base": 50.0}})
