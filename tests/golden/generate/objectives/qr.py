# SPDX-License-Identifier: Apache-2.0
"""Algorithm 1 of Dabney et al. 2018 in torch against dqn/qr; TorchRL has no such loss, so its DQNLoss only holds the
networks. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/qr.py > tests/golden/objectives/qr.txt
"""

import torch
from peer import Case, header
from torch import nn
from torch.nn.functional import smooth_l1_loss
from torchrl.modules import QValueActor
from torchrl.objectives import DQNLoss

GAMMA = 0.9
ACTIONS = 4


class Means(nn.Module):
    """The values of actions: the means of their quantiles, which are [actions, quantiles]."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers

    def quantiles(self, observation):
        return self.body(observation).unflatten(-1, (ACTIONS, -1))

    def forward(self, observation):
        return self.quantiles(observation).mean(-1)


def run(name, seed, quantiles=6, double=True, activation="tanh", steps=1):
    case = Case(name, "dqn/qr", seed, activation=activation, gamma=GAMMA, double=double)
    case.network("qvalue", "mlp/qr", "value_network", quantiles=quantiles)
    means = Means(case.layers(3, ACTIONS * quantiles))
    network = QValueActor(means, in_keys=["observation"], action_space="categorical")
    td = case.choices(ACTIONS, steps, GAMMA)
    loss = DQNLoss(network, delay_value=True, action_space="categorical")
    case.begin(loss)

    def of(params, observation):
        with params.to_module(network):
            return means.quantiles(observation)

    live, target = loss.value_network_params, loss.target_value_network_params
    observation, later = td["observation"], td["next", "observation"]
    best = of(live if double else target, later).mean(-1).argmax(-1)
    rows = torch.arange(case.rows)
    discount = GAMMA ** td.get("steps_to_next_obs", torch.ones(case.rows, 1))
    goal = td["next", "reward"] + discount * ~td["next", "terminated"] * of(target, later)[rows, best]
    chosen = of(live, observation)[rows, td["action"]]
    error = goal.detach()[:, None, :] - chosen[:, :, None]  # [rows, quantiles, samples]
    levels = (torch.arange(quantiles) + 0.5) / quantiles
    weight = (levels[:, None] - (error < 0).double()).abs()
    out = (weight * smooth_l1_loss(error, torch.zeros_like(error), reduction="none")).mean(-1).sum(-1)
    case.priority(out)
    case.finish(loss, {"update": ({"q": out.mean()}, ["qvalue"])}, moved=["qvalue"])


header("qr")
run("double", 1)
run("single", 2, double=False, activation="silu")
run("one_quantile", 3, quantiles=1)
run("three_steps", 4, steps=3)
