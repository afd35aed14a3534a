# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/cells.hpp: torch.nn.GRU and torch.nn.LSTM in float64, over sequences that
begin anew in their middle: each piece runs by itself, from zeros or, at the first step, from what was stored.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/cells.py > tests/golden/cells.txt
"""

import torch

STEPS, LANES, INPUTS, SIZE = 9, 4, 3, 5
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def run(name, kind, seed):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    cell = kind(INPUTS, SIZE)
    x = torch.randn((STEPS, LANES, INPUTS), generator=generator)
    begins = torch.rand((STEPS, LANES), generator=generator) < 0.3
    begins[0] = torch.tensor([False, True, False, True])
    stored = [torch.randn((LANES, SIZE), generator=generator) for _ in range(2 if kind is torch.nn.LSTM else 1)]
    out = torch.zeros(STEPS, LANES, SIZE)
    for lane in range(LANES):
        starts = sorted({0, *torch.nonzero(begins[:, lane]).flatten().tolist()})
        for start, end in zip(starts, [*starts[1:], STEPS]):
            first = [s[lane].reshape(1, 1, SIZE) * (0.0 if begins[start, lane] else 1.0) for s in stored]
            piece, _ = cell(x[start:end, lane : lane + 1], tuple(first) if len(first) == 2 else first[0])
            out[start:end, lane] = piece[:, 0]
    weight = torch.randn((STEPS, LANES, SIZE), generator=generator)
    (out * weight).sum(-1).mean().backward()
    print("case", name)
    line("steps", torch.tensor([STEPS]))
    line("lanes", torch.tensor([LANES]))
    line("x", x)
    line("is_init", begins)
    for key, value in zip(("hidden", "cell"), stored):
        # only the first step's is read
        line(key, torch.cat([value[None], torch.full((STEPS - 1, LANES, SIZE), 7.0)]))
    line("weight", weight)
    line("out", out.detach())
    for key, parameter in cell.named_parameters():
        line(key.removesuffix("_l0"), parameter.detach())
        line("gradient." + key.removesuffix("_l0"), parameter.grad)
    print("end")


print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/cells.py > tests/golden/cells.txt")
run("gru", torch.nn.GRU, 1)
run("lstm", torch.nn.LSTM, 2)
