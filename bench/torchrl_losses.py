# SPDX-License-Identifier: Apache-2.0
"""TorchRL's losses and estimators with the nets, batches and sizes of its own benchmark, for bench/peers.py.

Facts from benchmarks/test_objectives_benchmarks.py of torchrl 0.14.1. Stored actions are kept within their bounds,
where log-probabilities are finite.
"""

import torch
from tensordict import TensorDict
from tensordict.nn import (
    NormalParamExtractor,
    ProbabilisticTensorDictModule,
    ProbabilisticTensorDictSequential,
    TensorDictModule,
    TensorDictSequential,
)
from torchrl import objectives
from torchrl.data import Bounded, Unbounded
from torchrl.modules import MLP, QValueActor, TanhNormal
from torchrl.objectives.value import GAE, functional

OBSERVATION, ACTION, FEATURES, WIDTH, ROWS, STEPS = 8, 4, 64, 128, 128, 10


def layers(inputs, outputs, depth=2):
    return MLP(in_features=inputs, out_features=outputs, depth=depth, num_cells=WIDTH)


def batch(*leading):
    flags = torch.zeros(*leading, 1, dtype=torch.bool)
    following = {"obs": torch.randn(*leading, OBSERVATION), "reward": torch.randn(*leading, 1), "done": flags.clone()}
    columns = {
        "obs": torch.randn(*leading, OBSERVATION),
        "action": torch.rand(*leading, ACTION) * 1.8 - 0.9,
        "done": flags,
        "next": following,
    }
    if len(leading) > 1:
        columns["action_log_prob"] = torch.randn(*leading)
    return TensorDict(columns, leading, names=[None, "time"][: len(leading)])


class Networks:
    """A trunk, and on it an actor of one or of two numbers an action element, critics and a value."""

    def __init__(self, stochastic=True, **distribution):
        self.trunk = TensorDictModule(layers(OBSERVATION, FEATURES, 3), ["obs"], ["hidden"])
        if stochastic:
            self.actor = ProbabilisticTensorDictSequential(
                self.trunk,
                TensorDictModule(layers(FEATURES, 2 * ACTION), ["hidden"], ["param"]),
                TensorDictModule(NormalParamExtractor(), ["param"], ["loc", "scale"]),
                ProbabilisticTensorDictModule(
                    in_keys=["loc", "scale"],
                    out_keys=["action"],
                    distribution_class=TanhNormal,
                    distribution_kwargs={"safe_tanh": False},
                    **distribution,
                ),
            )
        else:
            head = TensorDictModule(layers(FEATURES, ACTION), ["hidden"], ["action"])
            self.actor = TensorDictSequential(self.trunk, head)
        of_action = layers(FEATURES + ACTION, 1)
        self.q_head = TensorDictModule(of_action, ["hidden", "action"], ["state_action_value"])
        self.q = TensorDictSequential(self.trunk, self.q_head)
        of_state = TensorDictModule(layers(FEATURES, 1), ["hidden"], ["state_value"])
        self.value = TensorDictSequential(self.trunk, of_state)


def dqn():
    actor = QValueActor(layers(OBSERVATION, ACTION, 3), in_keys=["obs"], action_space="one-hot")
    data = batch(ROWS)
    data["action"] = torch.nn.functional.one_hot(torch.randint(ACTION, (ROWS,)), ACTION)
    return objectives.DQNLoss(value_network=actor, action_space="one-hot"), data


def ddpg():
    nets, data = Networks(stochastic=False), batch(ROWS)
    nets.q_head(nets.actor(data))  # leaves "hidden", which the loss takes for the stored rows
    return objectives.DDPGLoss(nets.actor, nets.q_head), data


def soft(loss):
    nets = Networks(return_log_prob=True)
    return loss(nets.actor, nets.q, action_spec=Unbounded(shape=(ACTION,))), batch(ROWS)


def td3():
    nets = Networks(return_log_prob=True)
    bounds = Bounded(shape=(ACTION,), low=-1, high=1)
    return objectives.TD3Loss(nets.actor, nets.q, action_spec=bounds), batch(ROWS)


def iql():
    nets = Networks()
    loss = objectives.IQLLoss(actor_network=nets.actor, value_network=nets.value, qvalue_network=nets.q)
    return loss, batch(ROWS, STEPS)


def on_policy(loss):
    nets, data = Networks(), batch(ROWS, STEPS)
    GAE(value_network=nets.value, gamma=0.99, lmbda=0.95, shifted=True)(data)
    return loss(actor_network=nets.actor, critic_network=nets.value), data


LOSSES = {
    "dqn": dqn,
    "ddpg": ddpg,
    "td3": td3,
    "sac": lambda: soft(objectives.SACLoss),
    "redq": lambda: soft(objectives.REDQLoss),
    "cql": lambda: soft(objectives.CQLLoss),
    "iql": iql,
    "a2c": lambda: on_policy(objectives.A2CLoss),
    "ppo": lambda: on_policy(objectives.ClipPPOLoss),
    "reinforce": lambda: on_policy(objectives.ReinforceLoss),
}


def loss_call(name, backward, compiled=False):
    """A call of the loss, with gradients or without, eager or by torch.compile; gradients are not kept from one call to
    the next."""
    loss, data = LOSSES[name]()
    parameters = loss
    if compiled:
        loss(data)  # once eager, for what a loss makes at its first call
        loss = torch.compile(loss)

    def forward():
        return loss(data)

    def gradients():
        out = loss(data)
        sum(value for key, value in out.items() if key.startswith("loss")).backward()

    def forget():
        parameters.zero_grad(set_to_none=True)

    forward()
    return (gradients, forget) if backward else (forward, lambda: None)


def estimator_calls(name, steps, lanes):
    """The ways that TorchRL has to compute it: a loop over time, and where there is one a convolution."""
    shape = (lanes, steps, 1)
    reward, value, following, log_pi, log_mu = (torch.randn(shape) for _ in range(5))
    done = torch.rand(shape) < 0.1
    ends = {"reward": reward, "done": done, "terminated": done}
    inputs = {"gamma": 0.99, "lmbda": 0.95, "next_state_value": following, **ends}
    one = torch.tensor(1.0)
    calls = {
        "gae": [
            lambda: functional.generalized_advantage_estimate(state_value=value, **inputs),
            lambda: functional.vec_generalized_advantage_estimate(state_value=value, **inputs),
        ],
        "td_lambda": [
            lambda: functional.td_lambda_return_estimate(**inputs),
            lambda: functional.vec_td_lambda_return_estimate(**inputs),
        ],
        "vtrace": [
            lambda: functional.vtrace_advantage_estimate(0.99, log_pi, log_mu, value, following, reward, done, done, one, one)
        ],
        "reward_to_go": [lambda: functional.reward2go(reward, done, 0.99)],
    }
    return calls[name]
