# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/estimators.hpp: the value estimators of TorchRL, step by step in float64.

Made with torchrl 0.14.1 and torch 2.13.0 (CPU): generalized_advantage_estimate, td_lambda_return_estimate and
vtrace_advantage_estimate of torchrl.objectives.value.functional, torch.nn.functional.smooth_l1_loss.
Command, from the root of the repository:
    python tests/golden/generate/estimators.py > tests/golden/estimators.txt
"""

import torch
from torchrl.objectives.value import functional

# name, steps, lanes, gamma, lambda, rho_max, c_max, how likely a step terminates and is truncated
CASES = [
    ("mixed", 12, 5, 0.97, 0.9, 1.2, 0.8, 0.2, 0.2),
    ("no_ends", 10, 2, 0.99, 0.95, 1.0, 1.0, 0.0, 0.0),
    ("every_step_ends", 6, 3, 0.9, 0.7, 1.0, 1.0, 0.5, 0.6),
    ("undiscounted", 9, 3, 1.0, 1.0, 2.0, 1.5, 0.1, 0.2),
    ("one_step", 8, 3, 0.95, 0.0, 0.5, 0.3, 0.2, 0.2),
    ("single_row", 1, 4, 0.9, 0.8, 1.0, 1.0, 0.3, 0.3),
]


# TorchRL multiplies gamma by integer flags, which rounds it to the default dtype: in float32 to 8 digits.
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def run(seed, name, steps, lanes, gamma, lmbda, rho_max, c_max, terminates, truncates):
    generator = torch.Generator().manual_seed(seed)

    def normal():
        return torch.randn((steps, lanes, 1), generator=generator)

    def flags(probability):
        return torch.rand((steps, lanes, 1), generator=generator) < probability

    # next_value is no shifted value: a target network may have made it, and the rules allow that.
    reward, value, next_value, log_pi, log_mu = (normal() for _ in range(5))
    terminated, truncated = flags(terminates), flags(truncates)
    if name == "mixed":
        # the last row ends in every way there is
        terminated[-1, :, 0] = torch.tensor([True, False, False, True, False])
        truncated[-1, :, 0] = torch.tensor([False, True, False, True, False])
    if name == "every_step_ends":
        truncated |= ~terminated
    done = terminated | truncated
    # TorchRL wants [.., time, feature]: lanes are its batch.
    of = {name: column.transpose(0, 1) for name, column in {
        "reward": reward, "value": value, "next_value": next_value, "done": done, "terminated": terminated,
        "log_pi": log_pi, "log_mu": log_mu}.items()}
    ends = (of["reward"], of["done"], of["terminated"])
    advantage, target = functional.generalized_advantage_estimate(gamma, lmbda, of["value"], of["next_value"], *ends)
    returns = functional.td_lambda_return_estimate(gamma, lmbda, of["next_value"], *ends)
    limits = (torch.tensor(limit) for limit in (rho_max, c_max))
    _, v_s = functional.vtrace_advantage_estimate(
        gamma, of["log_pi"], of["log_mu"], of["value"], of["next_value"], *ends, *limits)
    smooth = torch.nn.functional.smooth_l1_loss(reward, value, reduction="none")
    print("case", name)
    print("steps", steps)
    print("lanes", lanes)
    line("options", torch.tensor([gamma, lmbda, rho_max, c_max]))
    for key, column in (("reward", reward), ("value", value), ("next_value", next_value), ("log_pi", log_pi), ("log_mu", log_mu)):
        line(key, column)
    line("terminated", terminated)
    line("done", done)
    line("gae", advantage.transpose(0, 1))
    line("gae_target", target.transpose(0, 1))
    line("td_lambda", returns.transpose(0, 1))
    line("vtrace", v_s.transpose(0, 1))
    line("smooth_l1", smooth)
    print("end")


print("# value estimators of torchrl 0.14.1, torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/estimators.py > tests/golden/estimators.txt")
print("# columns are [steps][lanes], time first; options: gamma lambda rho_max c_max")
for index, case in enumerate(CASES):
    run(200 + index, *case)
