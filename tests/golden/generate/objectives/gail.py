# SPDX-License-Identifier: Apache-2.0
"""GAILLoss of TorchRL, without and with its gradient penalty, against gail/discriminator without its entropy. Made with torchrl
0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/gail.py > tests/golden/objectives/gail.txt
"""

import torch
from peer import Case, header
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.objectives import GAILLoss

OBSERVATION, ACTION = 3, 2


class Discriminator(nn.Module):
    """TorchRL's is a probability, ours the logit of it."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers

    def forward(self, observation, action):
        return self.body(observation, action).sigmoid()


def drawn(case):
    """The mixture's shares, which TorchRL draws by torch.distributions.Uniform."""
    names, uniform = ["share.observation", "share.action"], torch.distributions.Uniform.sample

    def recorded(self, shape):
        values = torch.rand(shape, generator=case.generator)
        case.draw("gail/discriminator.update/" + names.pop(0), values)
        return values

    torch.distributions.Uniform.sample = recorded
    return lambda: setattr(torch.distributions.Uniform, "sample", uniform)


def run(name, seed, activation="tanh", penalty=None):
    options = {} if penalty is None else {"gradient_penalty": True, "penalty_coefficient": penalty}
    case = Case(name, "gail/discriminator", seed, activation=activation, entropy=0.0, **options)
    case.network("discriminator", "mlp/value", "discriminator_network", in_=["observation", "action"])
    network = TensorDictModule(Discriminator(case.layers(OBSERVATION + ACTION, 1)),
                               in_keys=["observation", "action"], out_keys=["d_logits"])
    rows = case.rows
    case.td = TensorDict({
        "observation": case.normal(rows, OBSERVATION), "action": case.normal(rows, ACTION),
        "expert": {"observation": case.normal(rows, OBSERVATION), "action": case.normal(rows, ACTION)}}, [rows])
    for prefix in ("", "expert."):
        case.column(prefix + "observation", f"unbounded {OBSERVATION}")
        case.column(prefix + "action", f"unbounded {ACTION}")
    loss = GAILLoss(network, use_grad_penalty=penalty is not None, gp_lambda=penalty)
    terms, entropy = [], loss.loss_function.forward

    def kept(predictions, labels):  # whose labels are float32
        terms.append(entropy(predictions, labels.double()))
        return terms[-1]

    loss.loss_function.forward = kept
    case.begin(loss)
    expert_frames = case.td["expert"]
    norm, penalties = torch.linalg.norm, []

    def noted(gradients, dim):  # the penalty, which is returned without its gradient
        slope = norm(gradients, dim=dim)
        penalties.append(penalty * ((slope - 1) ** 2).mean())
        return slope

    torch.linalg.norm = noted
    end = drawn(case)
    out = loss(TensorDict({
        "collector_observation": case.td["observation"], "collector_action": case.td["action"],
        "observation": expert_frames["observation"], "action": expert_frames["action"]}, [rows]))
    expert, own = (term.mean() for term in terms)
    torch.linalg.norm = norm
    end()
    terms = {"own": own, "expert": expert, **{"gradient_penalty": each for each in penalties}}
    assert abs((sum(terms.values()) - out["loss"]).item()) < 1e-12
    case.finish(loss, {"update": (terms, ["discriminator"])})


header("gail")
run("smooth", 1)
run("relu", 2, activation="relu")
run("penalty", 3, penalty=10.0)
run("penalty_relu", 4, activation="relu", penalty=2.0)
