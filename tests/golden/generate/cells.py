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


def number(layer):
    """What the names of a layer have that those of the first have not."""
    return str(layer) if layer > 0 else ""


def run(name, kind, seed, layers=1):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    cell = kind(INPUTS, SIZE, layers)
    x = torch.randn((STEPS, LANES, INPUTS), generator=generator)
    begins = torch.rand((STEPS, LANES), generator=generator) < 0.3
    begins[0] = torch.tensor([False, True, False, True])
    # of each layer the hidden state and, of an LSTM, the cell's
    states = 2 if kind is torch.nn.LSTM else 1
    stored = [torch.stack([torch.randn((LANES, SIZE), generator=generator) for _ in range(layers)]) for _ in range(states)]
    out = torch.zeros(STEPS, LANES, SIZE)
    for lane in range(LANES):
        starts = sorted({0, *torch.nonzero(begins[:, lane]).flatten().tolist()})
        for start, end in zip(starts, [*starts[1:], STEPS]):
            first = [s[:, lane].reshape(layers, 1, SIZE) * (0.0 if begins[start, lane] else 1.0) for s in stored]
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
        for layer in range(layers):
            # only the first step's is read
            line(key + number(layer), torch.cat([value[layer][None], torch.full((STEPS - 1, LANES, SIZE), 7.0)]))
    line("weight", weight)
    line("out", out.detach())
    for key, parameter in cell.named_parameters():
        ours, layer = key.split("_l")
        ours = number(int(layer)) + "." * (layer != "0") + ours
        line(ours, parameter.detach())
        line("gradient." + ours, parameter.grad)
    print("end")


print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/cells.py > tests/golden/cells.txt")
run("gru", torch.nn.GRU, 1)
run("lstm", torch.nn.LSTM, 2)
run("gru_layers", torch.nn.GRU, 3, layers=2)
run("lstm_layers", torch.nn.LSTM, 4, layers=3)
