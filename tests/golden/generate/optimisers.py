# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for core/compute/parameters: optimisers of torch.optim and LAMB of timm after torch.nn.utils.clip_grad_norm_, six steps.

Made with torch 2.13.0 (CPU) and timm 1.0.31. Command, from the root of the repository:
    python tests/golden/generate/optimisers.py > tests/golden/optimisers.txt
"""

import sys
from importlib.util import find_spec
from types import ModuleType

import torch

STEPS = 6
SHAPES = {"0.weight": (2, 3), "0.bias": (2,), "log_std": (9,)}

# name, kind, largest norm (0: no clipping), what the optimiser is given
SETTINGS = [
    ("defaults", "adam", 0, dict(lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8)),
    ("slow_second_moment", "adam", 10, dict(lr=2.5e-4, beta1=0.9, beta2=0.99999, eps=1.5e-5)),
    ("short_memory", "adam", 0.5, dict(lr=0.03, beta1=0.3, beta2=0.9, eps=1e-3)),
    ("no_first_moment", "adam", 7, dict(lr=0.1, beta1=0.0, beta2=0.5, eps=1e-12)),
    ("penalty", "adam", 2, dict(lr=0.01, beta1=0.9, beta2=0.99, eps=1e-8, weight_decay=0.3)),
    ("defaults", "adamw", 0, dict(lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.01)),
    ("strong_decay", "adamw", 2, dict(lr=0.05, beta1=0.8, beta2=0.99, eps=1e-6, weight_decay=0.7)),
    ("plain", "sgd", 0, dict(lr=0.01)),
    ("penalty", "sgd", 5, dict(lr=0.1, weight_decay=0.2)),
    ("momentum", "sgd", 0, dict(lr=0.01, momentum=0.9)),
    ("dampened", "sgd", 3, dict(lr=0.05, momentum=0.7, dampening=0.4, weight_decay=0.1)),
    ("nesterov", "sgd", 3, dict(lr=0.05, momentum=0.9, nesterov=True)),
    ("nesterov_penalty", "sgd", 0, dict(lr=0.01, momentum=0.6, weight_decay=0.05, nesterov=True)),
    ("defaults", "rmsprop", 0, dict(lr=1e-2, alpha=0.99, eps=1e-8)),
    ("momentum", "rmsprop", 0.5, dict(lr=7e-4, alpha=0.9, eps=1e-5, momentum=0.8)),
    ("centered", "rmsprop", 0, dict(lr=0.02, alpha=0.95, eps=1e-3, centered=True)),
    ("all", "rmsprop", 4, dict(lr=0.01, alpha=0.7, eps=1e-4, momentum=0.5, weight_decay=0.2, centered=True)),
    ("defaults", "lamb", 0, dict(lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.01)),
    ("no_decay", "lamb", 0.5, dict(lr=0.05, beta1=0.3, beta2=0.9, eps=1e-3)),
    ("strong_decay", "lamb", 2, dict(lr=0.03, beta1=0.8, beta2=0.99, eps=1e-6, weight_decay=0.7)),
]


def lamb():
    """timm's optimiser alone: the package itself would bring torchvision."""
    (folder,) = find_spec("timm").submodule_search_locations
    for name, path in (("timm", folder), ("timm.optim", folder + "/optim")):
        sys.modules[name] = ModuleType(name)
        sys.modules[name].__path__ = [path]
    from timm.optim.lamb import Lamb

    return Lamb


KINDS = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD, "rmsprop": torch.optim.RMSprop, "lamb": lamb()}


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values))


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors]).tolist()


def optimiser_of(kind, parameters, options):
    options = dict(options)
    if "beta1" in options:
        options["betas"] = (options.pop("beta1"), options.pop("beta2"))
    if kind == "lamb":
        # the paper scales every parameter, and clipping is by torch's function as for the others
        return KINDS[kind](parameters, foreach=False, always_adapt=True, max_grad_norm=None,
                           **{"weight_decay": 0.0, **options})  # fmt: skip
    if kind != "rmsprop":
        options["fused"] = False
    return KINDS[kind](parameters, foreach=False, **options)


def run(name, kind, dtype, max_norm, options, seed):
    generator = torch.Generator().manual_seed(seed)

    def normal(shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    parameters = [torch.nn.Parameter(normal(shape).to(dtype)) for shape in SHAPES.values()]
    optimiser = optimiser_of(kind, parameters, options)
    print("case", name)
    print("kind", kind)
    print("dtype", "f64" if dtype == torch.float64 else "f32")
    for option, value in options.items():
        line(f"option.{option}", [value])
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
        for key in states[0]:
            if key != "step" and states[0][key] is not None:
                line(f"state.{key}", flat(state[key] for state in states))
    print("end")


print("# torch.optim, timm's Lamb and torch.nn.utils.clip_grad_norm_ of torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/optimisers.py > tests/golden/optimisers.txt")
print("# one case after another; once a step: gradient and norm before clipping, parameters and state after the step")
print("tensors", *(f"{key}={'x'.join(map(str, shape))}" for key, shape in SHAPES.items()))
for index, (case, kind, max_norm, options) in enumerate(SETTINGS):
    for torch_dtype in (torch.float64, torch.float32):
        run(case, kind, torch_dtype, max_norm, options, seed=100 + index)
