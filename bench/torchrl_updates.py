# SPDX-License-Identifier: Apache-2.0
"""TorchRL's whole updates of one minibatch, which is already on the device: the loss, its gradients, a step of torch's Adam and a
soft update of target parameters, as torchrl's sota-implementations have them. For bench/torchrl_cuda_peer.py.

"dqn", "ppo" and "sac" have two layers of 64, the rows of bench/cuda; "bench-dqn", "bench-ppo" and "bench-sac" those of
bench/torchrl_losses.py. Gradients are not clipped. An update answers with the losses, which stay on the device.
"""

import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torchrl import objectives
from torchrl.data import Bounded
from torchrl.modules import MLP, QValueActor, TanhNormal

import torchrl_losses

WIDTH, RATE, TAU = 64, 3e-4, 0.005


def layers(inputs, outputs):
    return MLP(in_features=inputs, out_features=outputs, depth=2, num_cells=WIDTH)


def batch(rows, observation, action):
    flags = torch.zeros(rows, 1, dtype=torch.bool)
    return TensorDict({
        "obs": torch.randn(rows, observation), "action": action,
        "next": {"obs": torch.randn(rows, observation), "reward": torch.randn(rows, 1), "done": flags, "terminated": flags.clone()},
    }, [rows])  # fmt: skip


def dqn():
    network = QValueActor(layers(4, 2), in_keys=["obs"], action_space="categorical")
    return objectives.DQNLoss(network, action_space="categorical", delay_value=True), batch(64, 4, torch.randint(2, (64,)))


def ppo_loss():
    """The layers of the actor and of the value, and their loss."""
    of_actor, of_value = layers(4, 2), layers(4, 1)
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(of_actor, ["obs"], ["logits"]),
        ProbabilisticTensorDictModule(in_keys=["logits"], out_keys=["action"], distribution_class=torch.distributions.Categorical),
    )
    critic = TensorDictModule(of_value, ["obs"], ["state_value"])
    return of_actor, of_value, objectives.ClipPPOLoss(actor, critic, normalize_advantage=True)


def ppo():
    data = batch(256, 4, torch.randint(2, (256,)))
    data.update({"action_log_prob": torch.full((256,), 0.5).log(), "advantage": torch.randn(256, 1),
                 "value_target": torch.randn(256, 1), "state_value": torch.randn(256, 1)})  # fmt: skip
    return ppo_loss()[2], data


def sac():
    bounds = {"low": torch.tensor([-2.0]), "high": torch.tensor([2.0])}
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(torch.nn.Sequential(layers(3, 2), NormalParamExtractor()), ["obs"], ["loc", "scale"]),
        ProbabilisticTensorDictModule(
            in_keys=["loc", "scale"],
            out_keys=["action"],
            distribution_class=TanhNormal,
            distribution_kwargs={"safe_tanh": False, **bounds},
            return_log_prob=True,
        ),
    )
    head = layers(4, 1)
    critic = TensorDictModule(head, ["obs", "action"], ["state_action_value"])
    loss = objectives.SACLoss(actor, critic, action_spec=Bounded(shape=(1,), **bounds))
    return loss, batch(256, 3, torch.rand(256, 1) * 3.6 - 1.8)


UPDATES = {"dqn": dqn, "ppo": ppo, "sac": sac} | {
    f"bench-{name}": torchrl_losses.LOSSES[name] for name in ("dqn", "ppo", "sac")
}  # fmt: skip


def prepare_torch(device):
    torch.set_default_device(device)  # what a loss makes at its first call is there, too
    torch.distributions.Distribution.set_default_validate_args(False)  # a validation waits for the device


def make(name, device):
    """A function of a minibatch, and a minibatch."""
    prepare_torch(device)
    loss, data = UPDATES[name]()
    loss, data = loss.to(device), data.to(device)
    loss(data.copy())  # once eager, for what a loss makes at its first call
    return updater(loss, device, None if name.endswith("ppo") else objectives.SoftUpdate(loss, tau=TAU)), data


def updater(loss, device, targets=None):
    optimiser = torch.optim.Adam(loss.parameters(), lr=RATE, fused=True, capturable=device == "cuda")

    def update(minibatch):
        optimiser.zero_grad(set_to_none=True)
        out = loss(minibatch.copy())  # a loss may add columns, with gradients, to what it is given
        sum(value for key, value in out.items() if key.startswith("loss")).backward()
        optimiser.step()
        if targets is not None:
            targets.step()
        return out.detach()

    return update
