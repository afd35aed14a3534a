# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/heads/feature_noise.hpp and mlp/gsde, mlp/tanh_gsde: an actor of one hidden
layer in plain torch and float64, its noise as in Raffin and Stulp 2020 (arXiv:2005.05719): a normal of variance
features^2 sigma^2 + 1e-6, squashed by tanh into the action's bounds where there are some. Likelihoods are those of
torch.distributions.

Each case has the parameters and the gradient of mean(weight . drawn action + log-prob of the draw - log-prob of
`action`). Where one deviation stands for each element, the scale and what a matrix adds to the location are those of
TorchRL's gSDEModule but for the 1e-6, which is asserted.

Made with torch 2.13.0 (CPU), torchrl 0.14.1. Command, from the root of the repository:
    python tests/golden/generate/gsde.py > tests/golden/gsde.txt
"""

import torch
from torch.distributions import AffineTransform, Independent, Normal, TanhTransform, TransformedDistribution
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules.models.exploration import gSDEModule

ROWS, INPUTS, HIDDEN, ACTIONS = 12, 3, 5, 2
LOW, HIGH = torch.tensor([-2.0, 0.0], dtype=torch.float64), torch.tensor([0.5, 4.0], dtype=torch.float64)
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def agrees_with_torchrl(log_scale, features, loc, matrix, scale, noise):
    peer = gSDEModule(ACTIONS, HIDDEN, scale_min=1e-9, scale_max=1e9)
    with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
        peer.log_sigma.copy_(torch.log(torch.expm1(log_scale.exp())))  # through its softplus
        _, theirs, action, _ = peer(loc, features, matrix)
    assert torch.allclose((theirs**2 + 1e-6).sqrt(), scale, rtol=1e-6)
    assert torch.allclose(action - loc, noise, rtol=1e-9)


def run(name, seed, squashes, full, learns):
    generator = torch.Generator().manual_seed(seed)
    randn = lambda *shape: torch.randn(shape, generator=generator)
    layers = {
        "0.weight": 0.5 * randn(HIDDEN, INPUTS),
        "0.bias": 0.1 * randn(HIDDEN),
        "1.weight": 0.5 * randn(ACTIONS, HIDDEN),
        "1.bias": 0.1 * randn(ACTIONS),
        "log_scale": -1 + 0.3 * randn(ACTIONS if full else 1, HIDDEN),
    }
    parameters = {key: value.requires_grad_() for key, value in layers.items()}
    observation, weight, draw = randn(ROWS, INPUTS), randn(ROWS, ACTIONS), randn(ROWS, ACTIONS)
    features = torch.tanh(observation @ parameters["0.weight"].T + parameters["0.bias"])
    loc = features @ parameters["1.weight"].T + parameters["1.bias"]
    seen = features if learns else features.detach()
    deviations = parameters["log_scale"].exp().expand(ACTIONS, HIDDEN)
    scale = (seen**2 @ (deviations**2).T + 1e-6).sqrt()
    matrix = randn(ROWS, ACTIONS, HIDDEN)
    noise = ((deviations * matrix) @ seen[..., None])[..., 0]
    if full:
        agrees_with_torchrl(
            parameters["log_scale"].detach(), seen.detach(), loc.detach(), matrix, scale.detach(), noise.detach()
        )
    base = Normal(loc, scale)
    pre = loc + scale * draw
    if squashes:
        half = (HIGH - LOW) / 2
        head = TransformedDistribution(base, [TanhTransform(cache_size=1), AffineTransform(LOW + half, half)])
        given = LOW + half * (1 + torch.tanh(randn(ROWS, ACTIONS)))
        sampled = LOW + half * (1 + torch.tanh(pre))
        slope = torch.log(half) + torch.log1p(-torch.tanh(pre) ** 2)
        mode = LOW + half * (1 + torch.tanh(loc))
        log_prob = head.log_prob(given).sum(-1)
    else:
        given, sampled, slope, mode = randn(ROWS, ACTIONS), pre, torch.zeros(()), loc
        log_prob = Independent(base, 1).log_prob(given)
    drawn_log_prob = (base.log_prob(pre) - slope).sum(-1)
    ((weight * sampled).sum(-1) + drawn_log_prob - log_prob).mean().backward()
    print("case", name)
    for key, value in {"observation": observation, "action": given, "weight": weight, "draw": draw,
                       "scale": scale, "mode": mode, "log_prob": log_prob, "drawn": sampled,
                       "drawn.log_prob": drawn_log_prob}.items():
        line(key, value.detach())
    for key, parameter in parameters.items():
        line(key, parameter.detach())
        line("gradient." + key, parameter.grad)
    print("end")


print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/gsde.py > tests/golden/gsde.txt")
run("normal", 1, squashes=False, full=True, learns=False)
run("normal_feature", 2, squashes=False, full=False, learns=True)
run("tanh", 3, squashes=True, full=True, learns=True)
run("tanh_feature", 4, squashes=True, full=False, learns=False)
