# SPDX-License-Identifier: Apache-2.0
"""Two layers of 64 with tanh that choose one of two actions by four numbers, as bench/manifests/ppo_cartpole.toml has them:
TorchRL's policy, and torch without a framework. For bench/peers.py."""

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MLP, ProbabilisticActor

OBSERVATION, ACTIONS = 4, 2


def calls(draws, lanes):
    """Two ways to the actions of so many lanes: drawn, with their log-probabilities, or the likeliest."""
    net = MLP(in_features=OBSERVATION, out_features=ACTIONS, depth=2, num_cells=64, activation_class=torch.nn.Tanh)
    policy = ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
        in_keys=["logits"],
        distribution_class=torch.distributions.Categorical,
        return_log_prob=draws,
    )
    data = TensorDict({"observation": torch.randn(lanes, OBSERVATION)}, [lanes])
    kind = ExplorationType.RANDOM if draws else ExplorationType.DETERMINISTIC

    def by_policy():
        with set_exploration_type(kind):
            policy(data)

    def plain():
        logits = net(data["observation"])
        if not draws:
            return logits.argmax(-1)
        distribution = torch.distributions.Categorical(logits=logits)
        action = distribution.sample()
        return action, distribution.log_prob(action)

    return [by_policy, plain]
