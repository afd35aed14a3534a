# SPDX-License-Identifier: Apache-2.0
"""ReinforceLoss of TorchRL with an advantage of 1 and squared errors of values, which is the loss of zero/zero. Made with
torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/zero.py > tests/golden/objectives/zero.txt
"""

import torch
from peer import Case, header
from torchrl.objectives import ReinforceLoss

ACTIONS = 4


def run(name, seed, coefficient):
    case = Case(name, "zero/zero", seed, rows=11, value_coefficient=coefficient)
    actor, critic = case.categorical(3, ACTIONS), case.value(3)
    td = case.transitions()
    case.categorical_action(ACTIONS)
    outcome = case.normal(case.rows, 1)
    case.column("outcome", "unbounded", outcome)
    td["value_target"], td["advantage"] = outcome, torch.ones_like(outcome)
    loss = ReinforceLoss(actor, critic, loss_critic_type="l2")
    case.begin(loss)
    out = loss(td)
    case.finish(loss, {"update": ({"policy": out["loss_actor"], "value": coefficient * out["loss_value"]},
                                  ["actor", "value"])})


header("zero")
run("outcomes", 1, 1.0)
run("weighted_values", 2, 0.25)
