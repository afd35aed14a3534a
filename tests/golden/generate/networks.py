# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for the networks of plugins/policies: outputs and gradients of trunks in float64.

Parameters are a formula of their place, so that both sides have them without a list: the i-th number of the k-th
parameter, by the order of their names, is scale_k sin(0.3 (k + 1) + 0.37 j + 0.029 j^2) with j the rest of i by 101. A
gradient is stored as its sum weighed by cos(0.61 i), and its norm.

Made with torch 2.13.0 (CPU) and torchrl 0.14.1. Command, from the root of the repository:
    python tests/golden/generate/networks.py > tests/golden/networks.txt
"""

import math

import torch
import torchrl
from torch import nn
from torch.distributions import relaxed_categorical
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MLP, ConvNet, NoisyLinear, OneHotCategorical
from torchrl.modules.distributions.discrete import ReparamGradientStrategy

ROWS = 3
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def set_parameters(named):
    """Of pairs of our name and torch's parameter."""
    for k, (name, parameter) in enumerate(sorted(named.items())):
        j = torch.arange(parameter.numel(), dtype=torch.float64) % 101
        scale = 1.5 / math.sqrt(parameter[0].numel()) if parameter.dim() > 1 else 0.2
        with torch.no_grad():
            parameter.copy_((scale * torch.sin(0.3 * (k + 1) + 0.37 * j + 0.029 * j * j)).reshape(parameter.shape))
        line("scale." + name, torch.tensor([scale]))


def report(named, out):
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(1))
    (out * weight).sum(-1).mean().backward()
    line("weight", weight)
    line("out", out.detach())
    for name, parameter in named.items():
        gradient = parameter.grad.reshape(-1)
        places = torch.arange(gradient.numel(), dtype=torch.float64)
        line("gradient." + name, torch.stack([(gradient * torch.cos(0.61 * places)).sum(), gradient.norm()]))


def pixels(shape, seed):
    return torch.randint(0, 256, (ROWS, *shape), generator=torch.Generator().manual_seed(seed))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv0 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x):
        return x + self.conv1(torch.relu(self.conv0(torch.relu(x))))


def impala(channels, inputs, size, flat):
    layers, named = [], {}
    for i, out in enumerate(channels):
        conv, units = nn.Conv2d(inputs, out, 3, padding=1), [Residual(out), Residual(out)]
        layers += [conv, nn.MaxPool2d(3, 2, 1), *units]
        named |= {f"{i}.conv.{key}": value for key, value in conv.named_parameters()}
        for j, unit in enumerate(units):
            named |= {f"{i}.res{j}.{key}": value for key, value in unit.named_parameters()}
        inputs = out
    last = nn.Linear(flat, size)
    named |= {f"{len(channels)}.{key}": value for key, value in last.named_parameters()}
    return nn.Sequential(*layers, nn.ReLU(), nn.Flatten(), last, nn.ReLU()), named


def numbered(modules):
    return {f"{i}.{key}": value for i, module in enumerate(modules) for key, value in module.named_parameters()}


def trunk(name, module, named, raw, x):
    print("case", name)
    set_parameters(named)
    line("observation", raw)
    report(named, module(x))
    print("end")


def trunks():
    raw = pixels((1, 36, 36), 1)
    layers = [nn.Conv2d(1, 32, 8, 4), nn.Conv2d(32, 64, 4, 2), nn.Conv2d(64, 64, 3), nn.Linear(64, 6)]
    stacked = [part for layer in layers for part in (layer, nn.ReLU())]
    trunk("nature", nn.Sequential(*stacked[:6], nn.Flatten(), *stacked[6:]), numbered(layers), raw, raw / 255)

    raw = pixels((2, 11, 9), 2)
    module, named = impala((4, 3), 2, 5, 3 * 3 * 3)
    trunk("impala", module, named, raw, raw / 255)

    # channels last, and not divided
    raw = pixels((7, 8, 2), 3) / 64
    net = ConvNet(in_features=2, num_cells=[3, 4], kernel_sizes=[3, 2], strides=[2, 1], paddings=[1, 0],
                  activation_class=nn.Tanh)  # fmt: skip
    last = nn.Linear(4 * 3 * 3, 5)
    named = numbered([*(m for m in net.modules() if isinstance(m, nn.Conv2d)), last])
    trunk("convnet", nn.Sequential(net, last, nn.ReLU()), named, raw, raw.movedim(-1, 1))


class Picture(nn.Module):
    def forward(self, x):
        return x.unflatten(-1, (4, 2, 2))


def decoder():
    layers = [nn.Linear(3, 16), nn.ConvTranspose2d(4, 3, 3, 2), nn.ConvTranspose2d(3, 2, 2, 1, padding=1)]
    net = nn.Sequential(layers[0], nn.ReLU(), Picture(), layers[1], nn.ReLU(), layers[2], nn.Flatten())
    raw = draws((ROWS, 3), 4)
    trunk("decoder", net, numbered(layers), raw, raw)


def draws(shape, seed, normal=True):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator) if normal else torch.rand(shape, generator=generator)


ACTIVATIONS = {"elu": nn.ELU, "gelu": nn.GELU, "gelu_tanh": lambda: nn.GELU("tanh"),
               "leaky_relu": nn.LeakyReLU, "mish": nn.Mish, "relu": nn.ReLU, "sigmoid": nn.Sigmoid, "silu": nn.SiLU,
               "softplus": nn.Softplus, "tanh": nn.Tanh}  # fmt: skip


def activations():
    """The last rows saturate."""
    raw = draws((ROWS, 3), 5) * torch.tensor([[1.0], [6.0], [60.0]])
    for name, kind in ACTIVATIONS.items():
        layers = [nn.Linear(3, 6), nn.Linear(6, 2)]
        trunk("activation_" + name, nn.Sequential(layers[0], kind(), layers[1]), numbered(layers), raw, raw)
    # between filters
    layers = [nn.Conv2d(2, 3, 3), nn.Conv2d(3, 2, 2), nn.Linear(2 * 3 * 3, 4)]
    net = nn.Sequential(layers[0], nn.Mish(), layers[1], nn.Mish(), nn.Flatten(), layers[2], nn.ReLU())
    raw = draws((ROWS, 2, 6, 6), 6)
    trunk("convnet_mish", net, numbered(layers), raw, raw)


def one_hot_draws():
    """Gradients through draws of mlp/one_hot: TorchRL's pass-through, which draws by multinomial and here gets ours; and
    torch's relaxed draw, made one-hot. TorchRL's relaxed draw is overwritten in place by the one-hot vector, which its
    gradient then takes for the softmax."""
    for name in ("pass_through", "relaxed"):
        layers = [nn.Linear(3, 6), nn.Linear(6, 4)]
        named, x, uniform = numbered(layers), draws((ROWS, 3), 7), draws((ROWS, 4), 8, normal=False)
        print("case one_hot_" + name)
        set_parameters(named)
        line("observation", x)
        line("draw.random_uniform", uniform)
        logits = nn.Sequential(layers[0], nn.Tanh(), layers[1])(x)
        hot = nn.functional.one_hot((logits - (-uniform.log()).log()).argmax(-1), 4).to(torch.float64)
        if name == "pass_through":
            OneHotCategorical.sample = lambda self, shape=None, hot=hot: hot
            out = OneHotCategorical(logits=logits, grad_method=ReparamGradientStrategy.PassThrough).rsample()
        else:
            relaxed_categorical.clamp_probs = lambda u, uniform=uniform: uniform
            soft = relaxed_categorical.RelaxedOneHotCategorical(1.0, logits=logits).rsample()
            out = hot + (soft - soft.detach())
        report(named, out)
        print("end")


def noisy():
    """Drawn numbers as NoisyLinear.reset_noise makes them of its own."""
    layers = [NoisyLinear(3, 4), NoisyLinear(4, 5)]
    net = nn.Sequential(layers[0], nn.Tanh(), layers[1])
    named = {f"{i}.{part}{ours}": getattr(layer, f"{part}_{theirs}") for i, layer in enumerate(layers)
             for part in ("weight", "bias") for ours, theirs in (("", "mu"), ("_sigma", "sigma"))}  # fmt: skip
    x = draws((ROWS, 3), 1)
    print("case noisy")
    set_parameters(named)
    line("observation", x)
    for i, layer in enumerate(layers):
        raw = {"in": draws(layer.in_features, 10 + i), "out": draws(layer.out_features, 20 + i)}
        ends = {key: value.sign() * value.abs().sqrt() for key, value in raw.items()}
        layer.weight_epsilon.copy_(ends["out"].outer(ends["in"]))
        layer.bias_epsilon.copy_(ends["out"])
        for key, value in raw.items():
            line(f"draw.{i}.{key}", value)
    line("evaluated", net.eval()(x).detach())
    with set_exploration_type(ExplorationType.RANDOM):
        report(named, net.train()(x))
    print("end")


class Fed(nn.Module):
    """Dropout by given numbers: what torch keeps with a probability, this keeps where they are above the rest of it."""

    def __init__(self, share, uniform):
        super().__init__()
        self.share, self.uniform = share, uniform

    def forward(self, x):
        return x * (self.uniform >= self.share) / (1 - self.share) if self.training else x


def dropout():
    net = MLP(in_features=3, out_features=2, num_cells=[6, 4], activation_class=nn.Tanh, norm_class=nn.LayerNorm,
              norm_kwargs=[{"normalized_shape": 6}, {"normalized_shape": 4}], dropout=0.4)  # fmt: skip
    named = numbered([m for m in net if isinstance(m, nn.Linear)])
    named |= {f"norm{key}": value for key, value in numbered([m for m in net if isinstance(m, nn.LayerNorm)]).items()}
    x = draws((ROWS, 3), 2)
    print("case dropout")
    set_parameters(named)
    line("observation", x)
    places = [i for i, module in enumerate(net) if isinstance(module, nn.Dropout)]
    for number, (place, width) in enumerate(zip(places, (6, 4), strict=True)):
        net[place] = Fed(net[place].p, draws((ROWS, width), 30 + number, normal=False))
        line(f"draw.dropout{number}", net[place].uniform)
    line("evaluated", net.eval()(x).detach())
    report(named, net.train()(x))
    print("end")


def spectral():
    layers = [nn.Linear(3, 6), nn.Linear(6, 4)]
    named = numbered(layers)
    x = draws((ROWS, 3), 3)
    print("case spectral")
    set_parameters(named)
    for i, layer in enumerate(layers):
        nn.utils.spectral_norm(layer)
        layer.weight_u.copy_(draws(layer.out_features, 40 + i))
        line(f"state.{i}", layer.weight_u)
        named[f"{i}.weight"] = layer.weight_orig
    net = nn.Sequential(layers[0], nn.Tanh(), layers[1])
    line("observation", x)
    report(named, net(x))
    for i, layer in enumerate(layers):
        line(f"state.next.{i}", layer.weight_u)
    line("out.next", net(x).detach())
    print("end")


class Block(nn.Module):
    """A block with its norms first; causal attention, with rotated queries and keys in a window if it is Llama's."""

    def __init__(self, width, heads, hidden, llama):
        super().__init__()
        self.heads, self.llama = heads, llama
        norm = (lambda: nn.RMSNorm(width, eps=1e-6)) if llama else (lambda: nn.LayerNorm(width))
        self.norm0, self.norm1 = norm(), norm()
        self.query, self.key, self.value, self.attended = (nn.Linear(width, width) for _ in range(4))
        layers = {"in": nn.Linear(width, hidden), "out": nn.Linear(hidden, width)}
        self.mlp = nn.ModuleDict(layers | ({"gate": nn.Linear(width, hidden)} if llama else {}))

    def by_head(self, rows, rotated=False):
        x = rows.unflatten(-1, (self.heads, -1)).transpose(-3, -2)
        if not rotated:
            return x
        half = x.shape[-1] // 2
        angle = torch.outer(torch.arange(x.shape[-2], dtype=torch.float64),
                            10_000 ** (-torch.arange(half, dtype=torch.float64) / half))  # fmt: skip
        turn = torch.polar(torch.ones_like(angle), angle)
        pairs = torch.complex(x[..., :half], x[..., half:]) * turn
        return torch.cat([pairs.real, pairs.imag], -1)

    def forward(self, x):
        rows = self.norm0(x)
        place = torch.arange(x.shape[-2])
        allowed = (place <= place[:, None]) & ((place > place[:, None] - 3) | (not self.llama))
        out = nn.functional.scaled_dot_product_attention(
            self.by_head(self.query(rows), self.llama), self.by_head(self.key(rows), self.llama),
            self.by_head(self.value(rows)), attn_mask=allowed)  # fmt: skip
        x = x + self.attended(out.transpose(-3, -2).flatten(-2))
        rows = self.norm1(x)
        inner = self.mlp["in"](rows)
        inner = nn.functional.silu(inner) * self.mlp["gate"](rows) if self.llama else nn.functional.gelu(inner)
        return x + self.mlp["out"](inner)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(2, 8), nn.Embedding(7, 8)
        self.layers = nn.ModuleDict({"in": nn.Linear(3, 8)})
        self.block0, self.block1 = Block(8, 2, 32, False), Block(8, 2, 10, True)
        self.norm = nn.RMSNorm(8, eps=1e-6)

    def forward(self, seen):
        x = self.layers["in"](seen) + self.token((seen[..., 0] > 0).long()) + self.position.weight[:5]
        return self.norm(self.block1(self.block0(x))).mean(-2)


def transformer():
    net, raw = Transformer(), draws((ROWS, 5, 3), 9)
    named = {key.removeprefix("layers."): value for key, value in net.named_parameters()}
    trunk("transformer", net, named, raw, raw)


print("# torch", torch.__version__.split("+")[0] + ", torchrl", torchrl.__version__)
print("# made by: python tests/golden/generate/networks.py > tests/golden/networks.txt")
trunks()
decoder()
activations()
one_hot_draws()
noisy()
dropout()
spectral()
transformer()
