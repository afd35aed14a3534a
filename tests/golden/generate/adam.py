# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for core/learn/optimiser.cpp: torch.optim.Adam after torch.nn.utils.clip_grad_norm_, ten steps.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/adam.py > tests/golden/adam.txt
"""

import torch

STEPS = 10
SHAPES = {"0.weight": (2, 3), "0.bias": (2,), "log_std": (9,)}

# name, lr, betas, eps, max_norm (0: no clipping)
SETTINGS = [
    ("defaults", 1e-3, (0.9, 0.999), 1e-8, 0.0),
    ("slow_second_moment", 2.5e-4, (0.9, 0.99999), 1.5e-5, 10.0),
    ("short_memory", 0.03, (0.3, 0.9), 1e-3, 0.5),
    ("no_first_moment", 0.1, (0.0, 0.5), 1e-12, 7.0),
]


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values))


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors]).tolist()


def run(name, dtype, lr, betas, eps, max_norm, seed):
    generator = torch.Generator().manual_seed(seed)

    def normal(shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    parameters = [torch.nn.Parameter(normal(shape).to(dtype)) for shape in SHAPES.values()]
    optimiser = torch.optim.Adam(parameters, lr=lr, betas=betas, eps=eps, foreach=False, fused=False)
    print("case", name)
    print("dtype", "f64" if dtype == torch.float64 else "f32")
    line("lr", [lr])
    line("betas", betas)
    line("eps", [eps])
    line("max_norm", [max_norm])
    line("initial", flat(parameters))
    for step in range(STEPS):
        for parameter in parameters:
            # Magnitudes from 1e-3 to 1e1, a step without any gradient, and single elements without one.
            gradient = normal(parameter.shape) * 10 ** (3 * torch.rand(parameter.shape, generator=generator) - 2)
            gradient[torch.rand(parameter.shape, generator=generator) < 0.1] = 0
            parameter.grad = (gradient * (0 if step == 4 else 1)).to(dtype)
        line("gradient", flat(p.grad for p in parameters))
        line("norm", [torch.nn.utils.get_total_norm([p.grad for p in parameters])])
        if max_norm > 0:
            torch.nn.utils.clip_grad_norm_(parameters, max_norm)
        optimiser.step()
        line("parameters", flat(parameters))
        states = [optimiser.state[parameter] for parameter in parameters]
        line("moment1", flat(state["exp_avg"] for state in states))
        line("moment2", flat(state["exp_avg_sq"] for state in states))
    print("end")


print("# torch.optim.Adam and torch.nn.utils.clip_grad_norm_ of torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/adam.py > tests/golden/adam.txt")
print("# one case after another; once a step: gradient and norm before clipping, parameters and moments after the step")
print("tensors", *(f"{key}={'x'.join(map(str, shape))}" for key, shape in SHAPES.items()))
for index, setting in enumerate(SETTINGS):
    for torch_dtype in (torch.float64, torch.float32):
        run(setting[0], torch_dtype, *setting[1:], seed=100 + index)
