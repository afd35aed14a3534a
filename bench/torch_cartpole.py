# SPDX-License-Identifier: Apache-2.0
"""PPO on CartPole-v1 in a loop of PyTorch that stays on the device, with TorchRL's loss: what bench/cuda/ppo_cartpole_65536.toml does.

A round is steps of all lanes, values, GAE, then epochs of minibatches. A step, GAE and an update are compiled each; all steps with
GAE are one CUDA graph, and an update another. Nothing is copied to the host.
"""

import math

import torch
from tensordict import TensorDict

import torchrl_updates

EPOCHS, MINIBATCHES, GAMMA, LAMBDA, LIMIT = 4, 4, 0.99, 0.95, 500


def begin(like):
    return torch.rand_like(like) * 0.1 - 0.05


def move(state, action):
    """Gymnasium's equations: cart of 1, pole of 0.1, half its length 0.5, a force of 10, 50 steps a second."""
    x, x_dot, theta, theta_dot = state.unbind(-1)
    force = action * 20.0 - 10.0
    sine, cosine = theta.sin(), theta.cos()
    pushed = (force + 0.05 * theta_dot.square() * sine) / 1.1
    theta_acc = (9.8 * sine - cosine * pushed) / (0.5 * (4.0 / 3.0 - 0.1 * cosine.square() / 1.1))
    x_acc = pushed - 0.05 * theta_acc * cosine / 1.1
    return torch.stack([x + 0.02 * x_dot, x_dot + 0.02 * x_acc, theta + 0.02 * theta_dot, theta_dot + 0.02 * theta_acc], -1)


def step(actor, state, age):
    """The next states, and what is learnt of the step."""
    logits = actor(state)
    probability = logits.softmax(-1)
    action = (torch.rand_like(probability[:, 0]) >= probability[:, 0]).long()
    log_prob = logits.log_softmax(-1).gather(-1, action[:, None])[:, 0]
    following, age = move(state, action), age + 1
    fallen = (following[:, 0].abs() > 2.4) | (following[:, 2].abs() > 12 * math.pi / 180)
    done = fallen | (age >= LIMIT)
    begun = torch.where(done[:, None], begin(following), following)
    return begun, torch.where(done, 0, age), (state, action, log_prob, following, done, fallen)


def estimate(value, following, done, fallen):
    """Advantages of (steps, lanes), with a reward of 1 for each step."""
    delta = 1.0 + GAMMA * following * ~fallen - value
    carry, kept = torch.zeros_like(delta[0]), GAMMA * LAMBDA * ~done
    out = []
    for at in reversed(range(len(delta))):
        carry = delta[at] + kept[at] * carry
        out.append(carry)
    return torch.stack(out[::-1])


class Loop:
    """The nets, the lanes and what is learnt from, all in memory that stays, so that CUDA graphs may write it."""

    def __init__(self, lanes, steps, device, compiled):
        torchrl_updates.prepare_torch(device)
        compile_ = torch.compile if compiled else lambda function: function
        self.actor, self.critic, loss = torchrl_updates.ppo_loss()
        self.state, self.age = begin(torch.empty(lanes, 4)), torch.zeros(lanes, dtype=torch.long)
        self.steps, self.rows, self.device = steps, steps * lanes, device
        self.step, self.estimate = compile_(step), compile_(estimate)
        self.update = compile_(torchrl_updates.updater(loss, device))
        with torch.no_grad():
            self.batch = self.collect()
        self.minibatch = self.batch[: self.rows // MINIBATCHES].clone()

    def collect(self):
        """A round's rows; moves the lanes."""
        state, age, told = self.state, self.age, []
        for _ in range(self.steps):
            state, age, row = self.step(self.actor, state, age)
            told.append(row)
        self.state.copy_(state)
        self.age.copy_(age)
        obs, action, log_prob, following, done, fallen = (torch.stack(column) for column in zip(*told))
        value, after = self.critic(obs)[..., 0], self.critic(following)[..., 0]
        advantage = self.estimate(value, after, done, fallen)
        columns = {"obs": obs, "action": action, "action_log_prob": log_prob, "advantage": advantage[..., None],
                   "value_target": (advantage + value)[..., None], "state_value": value[..., None]}  # fmt: skip
        return TensorDict({key: column.flatten(0, 1) for key, column in columns.items()}, [self.rows])

    def collected(self):
        with torch.no_grad():
            self.batch.update_(self.collect())

    def learnt(self):
        return self.update(self.minibatch)


def make(lanes, steps, device, compiled, graph_of):
    """A function that computes a round, and the loop that it moves."""
    loop = Loop(lanes, steps, device, compiled)
    collect, update = graph_of(loop.collected, device), graph_of(loop.learnt, device)

    def round_():
        collect()
        for _ in range(EPOCHS):
            for rows in torch.randperm(loop.rows).chunk(MINIBATCHES):
                for key, column in loop.minibatch.items():
                    torch.index_select(loop.batch[key], 0, rows, out=column)
                update()

    return round_, loop
