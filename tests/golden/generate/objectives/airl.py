# SPDX-License-Identifier: Apache-2.0
"""The discriminator of AIRL by its paper (Fu et al. 2018, arXiv 1710.11248, equations 4 and 5), which TorchRL has not, written in
torch, against gail/discriminator with gail/airl. Made with torchrl 0.14.1 (for what generators share), torch 2.13.0 (CPU). Command,
from the root of the repository:
    python tests/golden/generate/objectives/airl.py > tests/golden/objectives/airl.txt
"""

from types import SimpleNamespace

import torch
from peer import Case, header
from tensordict import TensorDict
from torch.nn.functional import binary_cross_entropy, one_hot

OBSERVATION, ACTIONS = 3, 4


def named(**networks):
    return TensorDict({"layers": {
        name: {number: {"weight": layer.weight, "bias": layer.bias} for number, layer in network.layers.items()}
        for name, network in networks.items()}}, [])


def run(name, seed, gamma, inputs):
    case = Case(name, "gail/discriminator", seed, entropy=0.0)
    case.network("actor", "mlp/categorical", "actor")
    case.network("discriminator", "gail/airl", "discriminator", in_=inputs, gamma=gamma)
    case.td = TensorDict({}, [case.rows])
    width = OBSERVATION + (ACTIONS if "action" in inputs else 0)
    reward, potential, actor = case.layers(width, 1), case.layers(OBSERVATION, 1), case.layers(OBSERVATION, ACTIONS)
    told = {}
    for prefix, who in (("", "own"), ("expert.", "expert")):
        now, then = case.normal(case.rows, OBSERVATION), case.normal(case.rows, OBSERVATION)
        action = torch.randint(ACTIONS, (case.rows,), generator=case.generator)
        ended = case.flags(0.4, case.rows)
        for key, spec, values in (("observation", f"unbounded {OBSERVATION}", now), ("next.observation", f"unbounded {OBSERVATION}", then),
                                  ("action", f"categorical {ACTIONS}", action), ("next.terminated", "binary", ended)):
            case.column(prefix + key, spec, values)
        seen = torch.cat([now, one_hot(action, ACTIONS).double()], -1) if "action" in inputs else now
        f = reward(seen)[:, 0] + gamma * (~ended) * potential(then)[:, 0] - potential(now)[:, 0]
        pi = actor(now).softmax(-1).gather(-1, action[:, None])[:, 0].detach()
        told[who] = f.exp() / (f.exp() + pi)
    losses = {"own": binary_cross_entropy(told["own"], torch.zeros(case.rows)),
              "expert": binary_cross_entropy(told["expert"], torch.ones(case.rows))}
    loss = SimpleNamespace(discriminator_params=named(reward=reward, potential=potential))
    loss.actor_params = TensorDict({"layers": {number: {"weight": layer.weight.detach(), "bias": layer.bias.detach()}
                                               for number, layer in actor.layers.items()}}, [])
    case.begin(loss)
    loss.actor_params = TensorDict({}, [])  # no states of ours
    case.finish(loss, {"update": (losses, ["discriminator"])})


header("airl")
run("of_actions", 1, 0.9, ["observation", "action"])
run("of_states", 2, 1.0, ["observation"])
