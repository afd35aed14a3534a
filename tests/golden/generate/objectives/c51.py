# SPDX-License-Identifier: Apache-2.0
"""DistributionalDQNLoss of TorchRL against dqn/c51. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/c51.py > tests/golden/objectives/c51.txt
"""

import torch
from peer import Case, header
from torch import nn
from torchrl.modules import DistributionalQValueActor
from torchrl.objectives import DistributionalDQNLoss

GAMMA = 0.9
ACTIONS = 4


class Atoms(nn.Module):
    """Our outputs are [actions, atoms], TorchRL's [atoms, actions]."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers

    def forward(self, observation):
        return self.body(observation).unflatten(-1, (ACTIONS, -1)).transpose(-1, -2)


def run(name, seed, atoms=7, low=-2.0, high=3.0, activation="tanh", steps=1):
    # TorchRL's live network always chooses the next action
    case = Case(name, "dqn/c51", seed, activation=activation, gamma=GAMMA, double=True)
    case.network("qvalue", "mlp/c51", "value_network", atoms=atoms, v_min=low, v_max=high)
    network = DistributionalQValueActor(Atoms(case.layers(3, ACTIONS * atoms)), support=torch.linspace(low, high, atoms),
                                        in_keys=["observation"], action_space="categorical")
    td = case.choices(ACTIONS, steps, GAMMA)
    loss = DistributionalDQNLoss(network, gamma=GAMMA, delay_value=True)
    case.begin(loss)
    out = loss(td)
    case.priority(td["td_error"])
    case.finish(loss, {"update": ({"q": out["loss"]}, ["qvalue"])}, moved=["qvalue"])


header("c51")
run("wide", 1, low=-8.0, high=8.0, atoms=11)
run("narrow", 2)
run("two_atoms", 3, atoms=2, activation="relu")
run("three_steps", 4, low=-8.0, high=8.0, atoms=11, steps=3)
