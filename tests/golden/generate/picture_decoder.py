# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for the decoder of pictures of world/rssm3, by torch in float64: a dense layer that gives its bias, an RMS norm over
channels and SiLU, two transposed convolutions with one such norm between them, and a sigmoid. TorchRL's ObsDecoder has ReLU and
no norms; the published code of the third Dreamer has these norms.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/picture_decoder.py > tests/golden/picture_decoder.txt
"""

import torch
from torch.nn.functional import conv_transpose2d, silu

STEPS, LANES, CHANNELS, HEIGHT, WIDTH, FILTERS = 5, 3, 2, 8, 12, (3, 4)
torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(3)


def normal(*shape):
    return torch.randn(shape, generator=generator)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def by_channels(x, gain):
    return silu(x / (x.square().mean(0, keepdim=True) + 1e-4).sqrt() * gain[:, None, None])


parameters = {"small.bias": normal(FILTERS[0] * (HEIGHT // 4) * (WIDTH // 4)), "small.norm.weight": 1 + 0.3 * normal(FILTERS[0]),
              "filter0.weight": 0.5 * normal(FILTERS[0], FILTERS[1], 4, 4), "filter0.bias": 0.5 * normal(FILTERS[1]),
              "filter0.norm.weight": 1 + 0.3 * normal(FILTERS[1]), "filter1.weight": 0.5 * normal(FILTERS[1], CHANNELS, 4, 4),
              "filter1.bias": 0.5 * normal(CHANNELS)}
for each in parameters.values():
    each.requires_grad_()
observation = torch.randint(256, (STEPS, LANES, CHANNELS, HEIGHT, WIDTH), generator=generator)

x = by_channels(parameters["small.bias"].reshape(FILTERS[0], HEIGHT // 4, WIDTH // 4), parameters["small.norm.weight"])
x = conv_transpose2d(x, parameters["filter0.weight"], parameters["filter0.bias"], stride=2, padding=1)
x = by_channels(x, parameters["filter0.norm.weight"])
x = conv_transpose2d(x, parameters["filter1.weight"], parameters["filter1.bias"], stride=2, padding=1)
loss = (x.sigmoid() - observation / 255).square().sum((-3, -2, -1)).mean()
loss.backward()

print("case decoder")
line("observation", observation)
for name, each in parameters.items():
    line(f"decoder.{name}", each.detach())
    line(f"gradient/decoder.{name}", each.grad)
line("loss", loss.detach())
print("end")
