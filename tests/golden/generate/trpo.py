# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for trpo/trpo: the step of an actor with categorical actions as sb3-contrib's TRPO takes it, by its own
conjugate gradients from 0 (it begins at small random numbers) and torch's double backward in float64. The divergence is from
the policy that acted, as in the paper; sb3-contrib's is the other way round.

Made with sb3-contrib 2.9.2, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/trpo.py > tests/golden/trpo.txt
"""

import torch
from sb3_contrib.common.utils import conjugate_gradient_solver, flat_grad
from torch.distributions import Categorical, kl_divergence

STEPS, LANES, INPUTS, HIDDEN, CHOICES = 5, 3, 3, 5, 4
torch.set_default_dtype(torch.float64)
torch.randn_like = torch.zeros_like


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in torch.as_tensor(values).detach().reshape(-1)))


def run(name, seed, target_kl, shrinking=0.8, search=10, scale=1.0, damping=0.1, solving=15):
    torch.manual_seed(seed)
    sizes = [INPUTS, HIDDEN, CHOICES]
    theta = [(0.5 * torch.randn(shape)).requires_grad_() for a, b in zip(sizes, sizes[1:]) for shape in ((b, a), (b,))]
    rows = STEPS * LANES
    x, action, advantage = torch.randn(rows, INPUTS), torch.randint(CHOICES, (rows,)), scale * torch.randn(rows)

    def policy(parameters):
        return Categorical(logits=torch.tanh(x @ parameters[0].T + parameters[1]) @ parameters[2].T + parameters[3])

    acted = Categorical(logits=policy(theta).logits.detach())

    def gain(parameters):
        return (torch.exp(policy(parameters).log_prob(action) - acted.log_prob(action)) * advantage).mean()

    def divergence(parameters):
        return kl_divergence(acted, policy(parameters)).mean()

    slope = flat_grad(divergence(theta), theta, create_graph=True, retain_graph=True)
    times = lambda vector: flat_grad((slope * vector).sum(), theta, retain_graph=True) + damping * vector  # noqa: E731
    direction = conjugate_gradient_solver(times, flat_grad(gain(theta), theta, retain_graph=True), max_iter=solving)
    longest = torch.sqrt(2 * target_kl / direction.dot(times(direction))) * direction
    fraction, found, moved = 1.0, 0.0, list(theta)
    for _ in range(search):
        parts = torch.split(fraction * longest, [value.numel() for value in theta])
        tried = [value.detach() + part.view(value.shape) for value, part in zip(theta, parts)]
        if divergence(tried) < target_kl and gain(tried) > gain(theta):
            found, moved = 1.0, tried
            break
        fraction *= shrinking
    print("case", name)
    for key, value in (("observation", x), ("action", action), ("advantage", advantage), ("log_prob", acted.log_prob(action)),
                       ("action_logits", acted.logits), ("target_kl", target_kl), ("shrinking", shrinking), ("search", search), ("damping", damping), ("solving", solving),
                       ("kl", divergence(moved)), ("gain", gain(moved) - gain(theta)), ("step", fraction * found)):  # fmt: skip
        line(key, value)
    for i, (before, after) in enumerate(zip(theta, moved)):
        key = f"{i // 2}." + ("weight", "bias")[i % 2]
        line(key, before)
        line("after." + key, after)
    print("end")


print("# sb3-contrib 2.9.2, torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/trpo.py > tests/golden/trpo.txt")
run("first", 1, target_kl=0.01)
run("shortened", 4, target_kl=0.5, scale=3.0, damping=1e-3, solving=4)
run("none", 4, target_kl=0.5, search=1, scale=3.0, damping=1e-3, solving=4)
