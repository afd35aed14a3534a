# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for dreamer/v3 with world/rssm3, an actor of normals and one of categories, and world/two_hot: the
three DreamerV3 losses of TorchRL and their gradients in float64, on its own RSSM, heads and imagination env. Three things
are not TorchRL's, but those of the published code: what it casts to float32 is float64 here, its truncated normal has no margin
of 1e-6, and the decoder predicts the symlog of the observation (TorchRL takes the symlog of the prediction, too). Rewards
and ends are predicted from the state that a step leads to, observations and divergences from the state before it.

Made with torch 2.13.0 (CPU), torchrl 0.14.1. Command, from the root of the repository:
    python tests/golden/generate/dreamer3.py > tests/golden/dreamer3.txt
"""

import warnings

import torch

torch.set_default_dtype(torch.float64)
warnings.filterwarnings("ignore")

import torchrl  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule, TensorDictSequential  # noqa: E402
from torchrl.data import Bounded, Composite, Unbounded  # noqa: E402
from torchrl.envs.model_based import DreamerEnv  # noqa: E402
from torchrl.modules import DreamerV3MLP, SymExpTwoHot, TruncatedNormal, WorldModelWrapper  # noqa: E402
from torchrl.modules.distributions import truncated_normal  # noqa: E402
from torchrl.modules.models import model_based  # noqa: E402
from torchrl.objectives import DreamerV3ActorLoss, DreamerV3ModelLoss, DreamerV3ValueLoss, symlog  # noqa: E402
from torchrl.objectives.dreamer_v3 import _replay_value_target, two_hot_cross_entropy  # noqa: E402
from torchrl.objectives.utils import ValueEstimators  # noqa: E402

STEPS, LANES, HORIZON = 5, 3, 4
OBSERVATION, MEMORY, BLOCKS, LATENTS, CLASSES, HIDDEN, BINS = 3, 8, 2, 3, 4, 6, 11
LOW, HIGH = torch.tensor([-2.0, -0.5]), torch.tensor([1.0, 3.0])
GAMMA, LAMBDA, FREE, DYNAMICS, REPRESENTATION, ENTROPY, SLOW, REPLAY, RATE, UNIMIX = 0.9, 0.8, 0.3, 0.7, 0.2, 0.03, 0.6, 0.4, 0.5, 0.01
STATE = LATENTS * CLASSES

torch.Tensor.float = torch.Tensor.double
truncated_normal.TruncatedStandardNormal.eps = 0.0
queue = []  # the uniform numbers of draws, first to last
plain_draw = model_based._straight_through_categorical
model_based._straight_through_categorical = lambda logits, unimix=0.0, uniform=None: plain_draw(
    logits, unimix, queue.pop(0) if uniform is None else uniform)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


class FedNormal(TruncatedNormal):
    def rsample(self, sample_shape=torch.Size()):
        return drawn_normal(self, queue.pop(0))


def drawn_normal(distribution, uniform):
    a, b = (distribution.low - distribution.loc) / distribution.scale, (distribution.high - distribution.loc) / distribution.scale
    low, high = torch.erf(a / 2**0.5), torch.erf(b / 2**0.5)
    return distribution.loc + distribution.scale * 2**0.5 * torch.erfinv(low + uniform * (high - low))


class FedChoice(torch.distributions.OneHotCategorical):
    def sample(self, sample_shape=torch.Size()):
        return torch.nn.functional.one_hot((self.logits - (-queue.pop(0).log()).log()).argmax(-1), self.logits.shape[-1]).double()

    rsample = sample


class NormalOf(torch.nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, belief, state):
        both = self.body(belief, state)
        half = (HIGH - LOW) / 2
        return LOW + (both[..., :2].tanh() + 1) * half, (0.1 + 0.9 * torch.sigmoid(both[..., 2:] + 2)) * half


class ProbabilitiesOf(torch.nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body

    def forward(self, belief, state):
        out = self.body(belief, state)
        return (1 - UNIMIX) * out.softmax(-1) + UNIMIX / out.shape[-1]


class Prior(torch.nn.Module):
    """The prior of actions between bounds, which it sees between -1 and 1."""

    def __init__(self, net, scaled):
        super().__init__()
        self.net, self.scaled = net, scaled

    def forward(self, state, belief, action):
        return self.net(state, belief, self.scaled(action))


def case(name, choices):
    generator = torch.Generator().manual_seed(11 if choices else 7)
    width = 3 if choices else 2

    def normal(*shape):
        return torch.randn(shape, generator=generator)

    def uniform(*shape):
        return torch.rand(shape, generator=generator)

    def made(module):
        for key, parameter in module.named_parameters():
            parameter.data = 1 + 0.3 * normal(*parameter.shape) if "norm" in key or (parameter.ndim == 1 and bool((parameter == 1).all())) else 0.5 * normal(*parameter.shape)
        return module

    def mlp(inputs, out, depth):
        return made(DreamerV3MLP(inputs, out, depth=depth, num_cells=HIDDEN))

    def two_hot_head(depth):
        head = mlp(MEMORY + STATE, BINS, depth)
        head.model[-1].bias.data -= 4.0 * (torch.arange(BINS) - BINS // 2).abs()
        return head

    prior = made(model_based.RSSMPriorV3(action_shape=(width,), hidden_dim=HIDDEN, rnn_hidden_dim=MEMORY, num_categoricals=LATENTS,
                                         num_classes=CLASSES, action_dim=width, recurrent_model="block_gru", num_blocks=BLOCKS, unimix=UNIMIX))
    posterior = made(model_based.RSSMPosteriorV3(hidden_dim=HIDDEN, num_categoricals=LATENTS, num_classes=CLASSES, rnn_hidden_dim=MEMORY,
                                                 obs_embed_dim=HIDDEN, use_rms_norm=True, unimix=UNIMIX))
    encoder, decoder = mlp(OBSERVATION, None, 1), mlp(MEMORY + STATE, OBSERVATION, 1)
    reward_of, continues_of = two_hot_head(1), mlp(MEMORY + STATE, 1, 1)
    actor_body, value_body = mlp(MEMORY + STATE, width if choices else 2 * width, 1), two_hot_head(1)
    target_values = [0.5 * normal(*each.shape) for each in value_body.parameters()]
    target_values[-1] -= 4.0 * (torch.arange(BINS) - BINS // 2).abs()

    observation, following, reward = normal(STEPS, LANES, OBSERVATION), normal(STEPS, LANES, OBSERVATION), 3 * normal(STEPS, LANES)
    kinds = uniform(STEPS, LANES)
    # TorchRL takes the return of a row that a time limit ends from the first row of the next episode, so such rows are those
    # that no other row follows into: after an end, and the last ones.
    terminated = kinds < 0.3
    truncated = (kinds > 0.6) & ~terminated
    truncated[1:-1] &= terminated[:-2]
    truncated[0] = False
    done = terminated | truncated
    begins = torch.cat([torch.tensor([[True, False, False]]), done[:-1]])
    stored = normal(LANES, MEMORY)
    action = torch.randint(0, width, (STEPS, LANES), generator=generator) if choices else LOW + uniform(STEPS, LANES, 2) * (HIGH - LOW)
    shown = torch.nn.functional.one_hot(action, width).double() if choices else action
    scaled = (lambda x: x) if choices else (lambda x: (x - LOW) / ((HIGH - LOW) / 2) - 1)
    draws = {"world.step/posterior": uniform(STEPS, LANES, LATENTS), "world.arrived/arrived": uniform(STEPS, LANES, LATENTS),
             "world.imagine/prior": uniform(HORIZON, STEPS, LANES, LATENTS),
             "actor.sample/random_uniform": uniform(HORIZON, STEPS, LANES, width)}

    class World(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleList([prior, posterior, encoder, decoder, reward_of, continues_of])

        def forward(self, td):
            memory, out = stored, {key: [] for key in ("belief", "state", "prior", "posterior", "arrived_belief", "arrived_state")}
            for t in range(STEPS):
                memory = torch.where(begins[t][:, None], torch.zeros(()), memory)
                queue.append(draws["world.step/posterior"][t])
                logits, state = posterior(memory, encoder(symlog(observation[t])))
                out["belief"].append(memory)
                out["state"].append(state)
                out["posterior"].append(logits)
                out["prior"].append(prior.rnn_to_prior_projector(memory).reshape(LANES, LATENTS, CLASSES))
                memory = prior._update_belief(state, memory, scaled(shown[t]))
                queue.append(draws["world.arrived/arrived"][t])
                out["arrived_belief"].append(memory)
                out["arrived_state"].append(posterior(memory, encoder(symlog(following[t])))[1])
            out = {key: torch.stack(values) for key, values in out.items()}
            self.features = out["belief"], out["state"]
            arrived = out["arrived_belief"], out["arrived_state"]
            td["next", "prior_logits"], td["next", "posterior_logits"] = out["prior"], out["posterior"]
            td["next", "reco_pixels"] = decoder(*self.features)
            td["next", "reward_logits"], td["next", "continue_pred"] = reward_of(*arrived), continues_of(*arrived)
            return td

    world = World()
    model_loss = DreamerV3ModelLoss(world, kl_mode="separate", lambda_continue=1.0, lambda_dynamic=DYNAMICS, lambda_representation=REPRESENTATION,
                                    unimix=UNIMIX, free_bits=FREE, reco_symlog=False, num_reward_bins=BINS)
    data = TensorDict({"next": {"pixels": symlog(observation), "reward": reward[..., None], "done": done[..., None],
                                "terminated": terminated[..., None]}}, [STEPS, LANES])
    model_losses, _ = model_loss(data)
    belief, state = world.features

    transition = TensorDictModule(Prior(prior, scaled), in_keys=["state", "belief", "action"], out_keys=["_", "state", "belief"])
    reward_module = TensorDictSequential(TensorDictModule(reward_of, in_keys=["belief", "state"], out_keys=["reward_logits"]),
                                         TensorDictModule(SymExpTwoHot(BINS), in_keys=["reward_logits"], out_keys=["reward"]))
    env = DreamerEnv(WorldModelWrapper(transition, reward_module), prior_shape=(STATE,), belief_shape=(MEMORY,))
    env.observation_spec = Composite(state=Unbounded(STATE), belief=Unbounded(MEMORY))
    env.state_spec = env.observation_spec.clone()
    env.action_spec = Bounded(torch.zeros(3), torch.ones(3)) if choices else Bounded(LOW, HIGH)
    env.reward_spec = Unbounded((1,))
    keys = ["probs"] if choices else ["loc", "scale"]
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule((ProbabilitiesOf if choices else NormalOf)(actor_body), in_keys=["belief", "state"], out_keys=keys),
        ProbabilisticTensorDictModule(in_keys=keys, out_keys=["action"], distribution_class=FedChoice if choices else FedNormal,
                                      distribution_kwargs={} if choices else {"low": LOW, "high": HIGH}, return_log_prob=True))
    value = TensorDictSequential(TensorDictModule(value_body, in_keys=["belief", "state"], out_keys=["state_value_logits"]),
                                 TensorDictModule(SymExpTwoHot(BINS), in_keys=["state_value_logits"], out_keys=["state_value"]))
    continuation = TensorDictSequential(TensorDictModule(continues_of, in_keys=["belief", "state"], out_keys=["logit"]),
                                        TensorDictModule(torch.sigmoid, in_keys=["logit"], out_keys=["continuation"]))
    actor_loss = DreamerV3ActorLoss(actor, value, env, continuation_model=continuation, imagination_horizon=HORIZON, entropy_bonus=ENTROPY,
                                    use_reinforce=True, return_normalization_rate=RATE)
    actor_loss.make_value_estimator(ValueEstimators.TDLambda, gamma=GAMMA, lmbda=LAMBDA)
    rows = STEPS * LANES
    for k in range(HORIZON):
        queue.append(draws["actor.sample/random_uniform"][k].reshape(rows, width))
        queue.append(draws["world.imagine/prior"][k].reshape(rows, LATENTS))
    actor_losses, dream = actor_loss(TensorDict({"state": state.reshape(rows, STATE), "belief": belief.reshape(rows, MEMORY)}, [rows]))
    assert not queue

    value_loss = DreamerV3ValueLoss(value, value_loss="two_hot", num_value_bins=BINS, actor_loss=actor_loss, slow_critic_regularization=SLOW)
    targets = dict(zip((key for key, _ in value_body.named_parameters()), target_values))
    for key, each in value_loss.target_value_model_params.flatten_keys(".").items():
        if "model." in key:
            each.data.copy_(targets[key[key.index("model."):]])
    value_losses, _ = value_loss(dream)

    # The returns of the batch's own states: TorchRL's, whose rows are those that a step leads to.
    first = dream["lambda_target"][:, 0, 0].reshape(STEPS, LANES)
    shifted = [torch.cat([torch.zeros_like(each[:1]), each[:-1]]).transpose(0, 1) for each in (reward, done, terminated)]
    returns = _replay_value_target(*(each[..., None] for each in shifted), first.transpose(0, 1)[..., None], 1 / (1 - GAMMA), LAMBDA)
    live = {key[key.index("model."):]: each for key, each in value_loss.value_model_params.flatten_keys(".").items() if "model." in key}
    bins = value_loss.value_bins

    def values(parameters):
        return torch.func.functional_call(value_body, parameters, (belief[:-1], state[:-1]))

    slow = SymExpTwoHot(BINS)(values(targets))[..., 0].detach()
    logits = values(live)
    counts = (~(truncated & ~terminated))[:-1].double()
    replay = counts * (two_hot_cross_entropy(logits, returns.transpose(0, 1), bins) + SLOW * two_hot_cross_entropy(logits, slow, bins))
    replay = REPLAY * replay.sum() / rows

    entropy = -ENTROPY * actor_losses["actor_entropy"]
    losses = {"world.observation": model_losses["loss_model_reco"], "world.reward": model_losses["loss_model_reward"],
              "world.continues": model_losses["loss_model_continue"], "world.dynamics": model_losses["loss_model_dynamic"],
              "world.representation": model_losses["loss_model_representation"], "world.replay": replay,
              "actor.gain": actor_losses["loss_actor"] - entropy, "actor.entropy": entropy, "critic.value": value_losses["loss_value"],
              "critic.replay": replay}

    print("case", name)
    columns = {"observation": observation, "next.observation": following, "action": action, "next.reward": reward,
               "next.terminated": terminated, "next.truncated": truncated, "next.done": done, "is_init": begins,
               # only the first step's is read
               "world.memory": torch.cat([stored[None], torch.full((STEPS - 1, LANES, MEMORY), 7.0)])}
    for key, each in columns.items():
        line(key, each)
    for stream, each in draws.items():
        line(f"draw/dreamer/v3.update/{stream}", each)
    for key, each in losses.items():
        line(f"loss/{key}", each.detach())
    line("metric/return_scale", actor_losses["return_scale"])

    # The parameters under the names of the plugins, as functions of TorchRL's: the same of gradients.
    own = BINS // 2
    order = [*reversed(range(own)), *range(own, BINS)]  # -b1 .. -bn, 0, b1 .. bn

    def of_layers(prefix, layers, sequence, out=None, order=None):
        named, linears = {}, [each for each in sequence if isinstance(each, torch.nn.Linear)]
        norms = [each for each in sequence if not isinstance(each, (torch.nn.Linear, torch.nn.SiLU))]
        for i in range(layers):
            named |= {f"{prefix}.{i}.weight": (linears[i].weight, None), f"{prefix}.{i}.bias": (linears[i].bias, None),
                      f"{prefix}.{i}.norm.weight": (norms[i].weight, None)}
        if out:
            cut = (lambda x: x[order]) if order else None
            named |= {f"{out}.weight": (linears[layers].weight, cut), f"{out}.bias": (linears[layers].bias, cut)}
        return named

    rnn, block = prior.rnn, MEMORY // BLOCKS
    mix, gates = rnn.hidden_layers[0], rnn.gates
    named = of_layers("encoder", 1, encoder.model) | of_layers("posterior", 1, posterior.obs_rnn_to_post_projector, "posterior.out")
    named |= of_layers("prior", 2, prior.rnn_to_prior_projector, "prior.out") | of_layers("core.memory", 1, rnn.belief_projection)
    named |= of_layers("core.input0", 1, rnn.state_projection) | of_layers("core.input1", 1, rnn.action_projection)
    named |= of_layers("reward", 1, reward_of.model, "reward.out", order) | of_layers("continues", 1, continues_of.model, "continues.out")
    named |= of_layers("decoder", 1, decoder.model, "decoder.out")
    named |= {"core.mix.weight": (mix.weight, lambda x: x[:, block:].transpose(1, 2).reshape(MEMORY, 3 * HIDDEN)),
              "core.mix.bias": (mix.bias, None), "core.mix.norm.weight": (rnn.hidden_layers[1].weight, None),
              "core.gates.bias": (gates.bias, lambda x: x.reshape(BLOCKS, 3, block).transpose(0, 1).reshape(-1))}
    for b in range(BLOCKS):
        named[f"core.mix.block{b}.weight"] = (mix.weight, lambda x, b=b: x[b, :block].T)
        for gate in range(3):
            named[f"core.gates.block{b}.{gate}.weight"] = (gates.weight, lambda x, b=b, gate=gate: x[b, :, gate * block:(gate + 1) * block].T)
    actor_named = of_layers("body", 1, actor_body.model, "out")
    renamed = {key: live[key] for key, _ in value_body.named_parameters()}
    value_named = {"body.0.weight": (renamed["model.0.weight"], None), "body.0.bias": (renamed["model.0.bias"], None),
                   "body.0.norm.weight": (renamed["model.1.weight"], None), "out.weight": (renamed["model.3.weight"], lambda x: x[order]),
                   "out.bias": (renamed["model.3.bias"], lambda x: x[order])}
    for role, stage, parameters in (("world", "world", named), ("actor", "actor", actor_named), ("value", "critic", value_named)):
        total = sum(each for key, each in losses.items() if key.startswith(f"{stage}."))
        distinct = list({id(each): each for each, _ in parameters.values()}.values())
        gradients = dict(zip(map(id, distinct), torch.autograd.grad(total.sum(), distinct, retain_graph=True)))
        for key, (each, cut) in parameters.items():
            cut = cut or (lambda x: x)
            line(f"{role}/{key}", cut(each.detach()))
            line(f"gradient/{role}/{key}", cut(gradients[id(each)]))
    for key, same in (("body.0.weight", "model.0.weight"), ("body.0.bias", "model.0.bias"), ("body.0.norm.weight", "model.1.weight"),
                      ("out.weight", "model.3.weight"), ("out.bias", "model.3.bias")):
        line(f"target/value/{key}", targets[same][order] if key.startswith("out") else targets[same])
    print("end")


print("# torch", torch.__version__.split("+")[0], "torchrl", torchrl.__version__)
print("# made by: python tests/golden/generate/dreamer3.py > tests/golden/dreamer3.txt")
case("normal", False)
case("choice", True)
