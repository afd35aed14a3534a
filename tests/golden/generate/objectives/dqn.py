# SPDX-License-Identifier: Apache-2.0
"""DQNLoss of TorchRL against dqn/dqn. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/dqn.py > tests/golden/objectives/dqn.txt
"""

import torch
from peer import DISTANCES, Case, header
from tensordict.nn import TensorDictModule
from torch.nn.functional import one_hot
from torchrl.modules import QValueModule, SafeSequential
from torchrl.objectives import DQNLoss

GAMMA = 0.9
ACTIONS = 4


def run(name, seed, double, distance, activation="tanh", weighted=False, masked=False, steps=1):
    case = Case(name, "dqn/dqn", seed, activation=activation, gamma=GAMMA, double=double, loss=distance)
    network = case.q_value(3, ACTIONS)
    td = case.choices(ACTIONS, steps, GAMMA)
    loss = DQNLoss(network, loss_function=DISTANCES[distance], delay_value=True,
                   double_dqn=double, action_space="categorical")
    loss.make_value_estimator(gamma=GAMMA)
    scale = 1.0
    if weighted:
        # TorchRL divides by the sum of the weights, we by the number of rows, as Schaul et al. 2016 (algorithm 1) do
        weight = case.uniform(case.rows) + 0.1
        case.column("weight", "unbounded", weight)
        td["priority_weight"] = weight
        scale = weight.sum() / case.rows
    if masked:
        case.mask(0.6)
    case.begin(loss)
    out = loss(td)
    # TorchRL's priority is the square of the error; ours is its magnitude, as in Schaul et al. 2016
    case.priority(td["td_error"].sqrt())
    case.list("metric td_error", td["td_error"].sqrt().mean())
    case.finish(loss, {"update": ({"q": scale * out["loss"]}, ["qvalue"])}, moved=["qvalue"])


def choices(name, seed, kind, sizes, double=True, distance="huber"):
    """Actions that are vectors: one-hot, several choices at once, or several flags, which TorchRL writes as choices of
    two."""
    case = Case(name, "dqn/dqn", seed, gamma=GAMMA, double=double, loss=distance)
    space, width = "one_hot" if kind == "one_hot" else "mult_one_hot", sum(sizes)
    case.network("qvalue", "mlp/q_value", "value_network")
    values = TensorDictModule(case.layers(3, width), in_keys=["observation"], out_keys=["action_value"])
    network = SafeSequential(values, QValueModule(action_space=space, var_nums=None if kind == "one_hot" else sizes))
    td = case.transitions()
    index = torch.stack([torch.randint(size, (case.rows,), generator=case.generator) for size in sizes], -1)
    hot = torch.cat([one_hot(index[:, i], size) for i, size in enumerate(sizes)], -1)
    spec = {"one_hot": f"one_hot {width}", "multi_categorical": "multi_categorical " + " ".join(map(str, sizes)),
            "binary": f"binary {len(sizes)}"}[kind]  # fmt: skip
    case.column("action", spec, hot if kind == "one_hot" else index)
    td["action"] = hot
    loss = DQNLoss(network, loss_function=DISTANCES[distance], delay_value=True, double_dqn=double, action_space=space)
    loss.make_value_estimator(gamma=GAMMA)
    case.begin(loss)
    out = loss(td)
    case.priority(td["td_error"].sqrt())
    case.list("metric td_error", td["td_error"].sqrt().mean())
    case.finish(loss, {"update": ({"q": out["loss"]}, ["qvalue"])}, moved=["qvalue"])


header("dqn")
run("double_huber", 1, True, "huber")
run("double_l2", 2, True, "l2", activation="silu")
run("single_huber", 3, False, "huber", activation="relu")
run("single_l2", 4, False, "l2")
run("double_l1", 8, True, "l1")
run("weighted", 5, True, "huber", weighted=True)
run("masked", 6, True, "huber", masked=True)
run("three_steps", 7, True, "l2", steps=3)
choices("one_hot", 9, "one_hot", [4])
choices("one_hot_single", 10, "one_hot", [4], double=False)
choices("several", 11, "multi_categorical", [3, 2, 4])
choices("several_single", 12, "multi_categorical", [3, 3], double=False, distance="l2")
choices("flags", 13, "binary", [2, 2, 2])
