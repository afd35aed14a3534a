# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/heads.hpp: torch.distributions in float64, and TorchRL's map to scales.

Made with torch 2.13.0 (CPU): Categorical, and Normal under TanhTransform and AffineTransform (log-probs summed over the
last dimension); torchrl 0.14.1 / tensordict 0.14.3: mappings("biased_softplus_1.0") bounded below by 1e-4 as
NormalParamExtractor does.
Command, from the root of the repository:
    python tests/golden/generate/heads.py > tests/golden/heads.txt
"""

import torch
from tensordict.nn import NormalParamExtractor
from torch.distributions import Categorical, Normal, TransformedDistribution
from torch.distributions.transforms import AffineTransform, TanhTransform

ROWS = 40
CLASSES = 5


# TorchRL computes the shift of its softplus in the default dtype.
torch.set_default_dtype(torch.float64)

LOW = torch.tensor([-2.0, 0.25, -1.0])
HIGH = torch.tensor([0.5, 4.0, 1.0])


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


generator = torch.Generator().manual_seed(300)


def normal(*shape):
    return torch.randn(shape, generator=generator)


print("# distributions of torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/heads.py > tests/golden/heads.txt")

logits = normal(ROWS, CLASSES) * 10 ** (2 * torch.rand((ROWS, 1), generator=generator) - 1)
action = torch.randint(CLASSES, (ROWS,), generator=generator)
categorical = Categorical(logits=logits)
print("case categorical")
print("rows", ROWS)
line("logits", logits)
line("action", action)
line("log_prob", categorical.log_prob(action))
line("entropy", categorical.entropy())
line("mode", categorical.mode)
print("end")

loc = normal(ROWS, 3)
scale = 10 ** (2 * torch.rand((ROWS, 3), generator=generator) - 1.5)
# pre-images within 3: closer to the bounds an action's own rounding is all that is left of them
pre = (3 * (2 * torch.rand((ROWS, 3), generator=generator) - 1)).clamp(-3, 3)
affine = AffineTransform(loc=LOW + (HIGH - LOW) / 2, scale=(HIGH - LOW) / 2)
stored = affine(torch.tanh(pre))
squashed = TransformedDistribution(Normal(loc, scale), [TanhTransform(), affine])
print("case tanh_normal")
print("rows", ROWS)
line("low", LOW)
line("high", HIGH)
line("loc", loc)
line("scale", scale)
line("action", stored)
line("log_prob", squashed.log_prob(stored).sum(-1))
line("mode", affine(torch.tanh(loc)))
print("end")

raw = normal(ROWS, 3) * 8
extract = NormalParamExtractor(scale_mapping="biased_softplus_1.0", scale_lb=1e-4)
print("case scale")
print("rows", ROWS)
line("raw", raw)
line("scale", extract(torch.cat([raw, raw], -1))[1])
print("end")
