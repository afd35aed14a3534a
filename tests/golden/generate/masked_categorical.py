# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for only_allowed and Categorical of sdk/include/tenon/heads.hpp: torch.distributions.Categorical in
float64 on the logits of the allowed categories alone, and autograd's gradient of log_prob + 0.3 entropy by all logits.

Made with torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/masked_categorical.py > tests/golden/masked_categorical.txt
"""

import torch
from torch.distributions import Categorical

ROWS = 40
CLASSES = 6
ALONE = 8  # the last rows allow one category only

torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(400)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in torch.as_tensor(values).detach().reshape(-1)))


logits = torch.randn((ROWS, CLASSES), generator=generator) * 10 ** (2 * torch.rand((ROWS, 1), generator=generator) - 1)
logits.requires_grad_()
mask = torch.rand((ROWS, CLASSES), generator=generator) < 0.5
for row in range(ROWS):
    if row >= ROWS - ALONE or not mask[row].any():
        mask[row] = False
        mask[row, torch.randint(CLASSES, (), generator=generator)] = True

action, log_prob, entropy, mode = [], [], [], []
for row in range(ROWS):
    allowed = mask[row].nonzero().reshape(-1)
    among = Categorical(logits=logits[row][allowed])
    index = torch.randint(len(allowed), (), generator=generator)
    action.append(allowed[index])
    log_prob.append(among.log_prob(index))
    entropy.append(among.entropy())
    mode.append(allowed[among.probs.argmax()])
(torch.stack(log_prob) + 0.3 * torch.stack(entropy)).sum().backward()

print("# distributions of torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/masked_categorical.py > tests/golden/masked_categorical.txt")
print("case masked_categorical")
print("rows", ROWS)
line("logits", logits)
line("mask", mask)
line("action", action)
line("log_prob", torch.stack(log_prob))
line("entropy", torch.stack(entropy))
line("mode", mode)
line("gradient", logits.grad)
print("end")
