# SPDX-License-Identifier: Apache-2.0
"""What bench/sequence_peers.py compares, in plain PyTorch: the networks of transformer/causal, language and decision with
scaled_dot_product_attention, and what trains and samples them. Each function gives a call that is timed."""

import torch
from torch import nn
from torch.nn import functional

WIDTH, LAYERS = 64, 2
RATE = 3e-4


def rotated(x, places):
    """x [.., steps, head], rotated by places [steps]."""
    half = x.shape[-1] // 2
    angle = places[:, None] * (10_000.0 ** (-torch.arange(half) / half))
    cos, sin = angle.cos(), angle.sin()
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)


class Block(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, attend):
        """attend(query, key, value), each [rows, heads, steps, head]."""
        rows, steps, _ = x.shape
        parts = self.qkv(self.norm1(x)).view(rows, steps, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(attend(*parts.unbind()).transpose(1, 2).reshape(rows, steps, WIDTH))
        return x + self.down(functional.silu(self.up(self.norm2(x))))


class Trunk(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.blocks = nn.ModuleList(Block(heads) for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, x, attend_in):
        for layer, block in enumerate(self.blocks):
            x = block(x, lambda *parts, layer=layer: attend_in(layer, *parts))
        return self.norm(x)


def causally(_layer, query, key, value):
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def stepping(modules, loss, clip, compiled):
    """An update: the loss, its gradients, clipping, Adam."""
    parameters = [each for module in modules for each in module.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=RATE, fused=True)
    loss = torch.compile(loss) if compiled else loss

    def update():
        optimiser.zero_grad(set_to_none=True)
        loss().backward()
        torch.nn.utils.clip_grad_norm_(parameters, clip)
        optimiser.step()

    return update


class Causal(nn.Module):
    """A step is one token; an actor with four actions and a value read its features."""

    def __init__(self):
        super().__init__()
        self.inside, self.trunk = nn.Linear(3, WIDTH), Trunk(4)
        self.actor, self.value = nn.Linear(WIDTH, 4), nn.Linear(WIDTH, 1)


def update(compiled, steps=64, rows=256):
    """PPO's update of whole sequences, which attend to nothing before them."""
    net = Causal()
    shape = (rows // steps, steps)
    observation, action = torch.rand(*shape, 3), torch.randint(4, shape)
    old, advantage, target = torch.full(shape, 0.25).log(), torch.randn(shape), torch.randn(shape)
    places = torch.arange(float(steps))

    def attend(_layer, query, key, value):
        return causally(_layer, rotated(query, places), rotated(key, places), value)

    def loss():
        features = net.trunk(net.inside(observation), attend)
        all_log_probs = net.actor(features).log_softmax(-1)
        ratio = (all_log_probs.gather(-1, action[..., None])[..., 0] - old).exp()
        gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        entropy = -(all_log_probs.exp() * all_log_probs).sum(-1)
        return (-gain - 0.01 * entropy + 0.5 * (net.value(features)[..., 0] - target).square()).mean()

    return stepping([net], loss, 0.5, compiled)


def act(compiled, lanes=16, window=64):
    """One step of the lanes, which have the keys and values of a whole window; drawn, with log-probabilities and values."""
    net = Causal()
    past = torch.randn(LAYERS, 2, lanes, 4, window, WIDTH // 4)
    observation = torch.rand(lanes, 3)
    counted = torch.zeros(1, dtype=torch.int64)

    def step(at):
        def attend(layer, query, key, value):
            keys, values = past[layer]
            place = at % window
            keys.index_copy_(2, place, rotated(key, at.float()))
            values.index_copy_(2, place, value)
            return functional.scaled_dot_product_attention(rotated(query, at.float()), keys, values)

        features = net.trunk(net.inside(observation)[:, None], attend)[:, 0]
        log_probs = net.actor(features).log_softmax(-1)
        action = torch.multinomial(log_probs.exp(), 1)
        return action, log_probs.gather(-1, action), net.value(features)

    step = torch.compile(step) if compiled else step

    def one():
        with torch.no_grad():
            counted.add_(1)
            return step(counted)

    return one


def attention(compiled, width, causal=False, rows=16, heads=8, steps=128):
    """scaled_dot_product_attention of inputs as projections give them, [rows, steps, heads * width], and its gradient."""
    parts = [torch.randn(rows, steps, heads * width, requires_grad=True) for _ in range(3)]
    flow = torch.randn(rows, steps, heads * width)

    def forward():
        query, key, value = (part.view(rows, steps, heads, width).transpose(1, 2) for part in parts)
        out = functional.scaled_dot_product_attention(query, key, value, is_causal=causal)
        return out.transpose(1, 2).reshape(rows, steps, heads * width)

    forward = torch.compile(forward) if compiled else forward

    def one():
        for part in parts:
            part.grad = None
        forward().backward(flow)

    return one


class Language(nn.Module):
    def __init__(self, tokens, most):
        super().__init__()
        self.table, self.places, self.trunk = nn.Embedding(tokens, WIDTH), nn.Embedding(most, WIDTH), Trunk(4)

    def embedded(self, tokens, first=0):
        return self.table(tokens) + self.places.weight[first : first + tokens.shape[1]]

    def logits(self, features):
        return features @ self.table.weight.T


def sample(compiled, length, prompts=32, answers=8, tokens=10):
    """Answers drawn token by token, as long as their prompts, with a cache. A prompt is computed once for its answers."""
    net = Language(tokens, 2 * length)
    prompt = torch.randint(tokens, (prompts, length))
    rows = prompts * answers
    past = torch.zeros(LAYERS, 2, rows, 4, 2 * length, WIDTH // 4)

    def read():
        def attend(layer, query, key, value):
            for which, part in enumerate((key, value)):
                past[layer, which, :, :, : length - 1] = part.repeat_interleave(answers, 0)
            return causally(layer, query, key, value)

        net.trunk(net.embedded(prompt[:, :-1]), attend)

    def step(token, at):
        def attend(layer, query, key, value):
            past[layer, 0, :, :, at : at + 1] = key
            past[layer, 1, :, :, at : at + 1] = value
            return functional.scaled_dot_product_attention(query, past[layer, 0, :, :, : at + 1], past[layer, 1, :, :, : at + 1])

        log_probs = net.logits(net.trunk(net.embedded(token, at), attend))[:, 0].log_softmax(-1)
        drawn = torch.multinomial(log_probs.exp(), 1)
        return drawn, log_probs.gather(-1, drawn)

    step = torch.compile(step, dynamic=True) if compiled else step

    def one():
        with torch.no_grad():
            read()
            token, out = prompt[:, -1:].repeat_interleave(answers, 0), []
            for at in range(length - 1, 2 * length - 1):
                token, log_prob = step(token, at)
                out.append((token, log_prob))
            return [torch.cat(each, -1) for each in zip(*out)]

    return one


def grpo(compiled, length=16, rows=256, tokens=10):
    """GRPO's update: prompts and answers as one sequence, with the divergence from a reference."""
    net, reference = Language(tokens, 2 * length), Language(tokens, 2 * length)
    all_tokens = torch.randint(tokens, (rows, 2 * length))
    answer = all_tokens[:, length:, None]
    old, advantage = torch.full((rows, length), 0.1).log(), torch.randn(rows, 1)

    def log_probs(of):
        features = of.trunk(of.embedded(all_tokens[:, :-1]), causally)[:, length - 1 :]
        return of.logits(features).log_softmax(-1).gather(-1, answer)[..., 0]

    def loss():
        log_prob = log_probs(net)
        with torch.no_grad():
            base = log_probs(reference)
        ratio = (log_prob - old).exp()
        gain = torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage)
        away = base - log_prob
        return (-gain + 0.01 * (away.exp() - 1 - away)).mean()

    return stepping([net], loss, 1.0, compiled)


class Decision(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.wanted, self.observation, self.action = nn.Linear(1, WIDTH), nn.Linear(4, WIDTH), nn.Linear(2, WIDTH)
        self.place, self.norm = nn.Parameter(0.02 * torch.randn(3 * steps, WIDTH)), nn.LayerNorm(WIDTH)
        self.trunk, self.actor = Trunk(2), nn.Linear(WIDTH, 2)


def decision(compiled, rows=64, steps=8):
    """Decision Transformer's update: three tokens a step, padding left out."""
    net = Decision(steps)
    wanted, observation = torch.rand(rows, steps, 1), torch.randn(rows, steps, 4)
    action, present = torch.randint(2, (rows, steps)), torch.ones(rows, steps)
    one_hot = functional.one_hot(action, 2).float()
    allowed = torch.ones(3 * steps, 3 * steps, dtype=torch.bool).tril() & present.bool().repeat_interleave(3, 1)[:, None, None]

    def attend(_layer, query, key, value):
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=allowed)

    def loss():
        parts = [net.wanted(wanted), net.observation(observation), net.action(one_hot)]
        x = net.norm(torch.stack(parts, 2).reshape(rows, 3 * steps, WIDTH)) + net.place
        features = net.trunk(x, attend).reshape(rows, steps, 3, WIDTH)[:, :, 1]
        log_prob = net.actor(features).log_softmax(-1).gather(-1, action[..., None])[..., 0]
        return -(log_prob * present).sum() / present.sum()

    return stepping([net], loss, 1.0, compiled)


def of_numbers(function):
    def make(compiled, count=720_896):
        x = torch.randn(count)
        call = torch.compile(function) if compiled else function

        def one():
            with torch.no_grad():
                return call(x)

        return one

    return make


MAKERS = {
    "update": update, "act": act, "attention": attention, "sample": sample, "grpo": grpo, "decision": decision,
    "gelu": of_numbers(functional.gelu), "tanh": of_numbers(torch.tanh),
}  # fmt: skip
