# SPDX-License-Identifier: Apache-2.0
"""ACTLoss of TorchRL with an autoencoder of dense layers against act/act with chunks/cvae. Made with torchrl 0.14.1,
tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/act.py > tests/golden/objectives/act.txt
"""

import torch
from peer import ACTIVATIONS, Case, header
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.objectives import ACTLoss

LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
LATENT = "act/act.update/actor.reconstruct/latent"


class Cvae(nn.Module):
    def __init__(self, case, observation, steps, width, latent, bounded):
        super().__init__()

        def stack(inputs, outputs):
            sizes = [inputs, *case.hidden, outputs]
            return nn.ModuleDict({str(i): nn.Linear(*pair) for i, pair in enumerate(zip(sizes, sizes[1:]))})

        chunk = steps * width
        self.layers = nn.ModuleDict({"encoder": stack(observation + chunk, 2 * latent), "decoder": stack(observation + latent, chunk)})
        self.activation = ACTIVATIONS[case.activation]()
        self.sizes, self.latent, self.bounded, self.present = (steps, width), latent, bounded, None

    def through(self, name, x):
        stack = self.layers[name]
        for i in range(len(stack) - 1):
            x = self.activation(stack[str(i)](x))
        return stack[str(len(stack) - 1)](x)

    def forward(self, observation, chunk):
        mean, log_variance = self.through("encoder", torch.cat([observation, chunk.flatten(-2)], -1)).split(self.latent, -1)
        drawn = mean + (log_variance / 2).exp() * torch.randn_like(mean)
        out = self.through("decoder", torch.cat([observation, drawn], -1)).unflatten(-1, self.sizes)
        if self.bounded:
            low, high = torch.tensor(LOW), torch.tensor(HIGH)
            out = low + (torch.tanh(out) + 1) / 2 * (high - low)
        # TorchRL has no mask: where a step is padding, what it sees has no error
        return out if self.present is None else torch.where(self.present.unsqueeze(-1), out, chunk), mean, log_variance


def run(name, seed, steps=4, latent=3, weight=10.0, bounded=True, masked=False, activation="tanh"):
    case = Case(name, "act/act", seed, activation=activation, divergence_coefficient=weight)
    case.network("actor", "chunks/cvae", "actor_network", chunk=steps, latent_size=latent)
    model = Cvae(case, 3, steps, len(LOW), latent, bounded)
    actor = TensorDictModule(model, in_keys=["observation", "action_chunk"], out_keys=["action_pred", "mu", "log_var"])
    td = case.transitions()
    if bounded:
        case.bounded_action(LOW, HIGH)
    else:
        case.column("action", f"unbounded {len(LOW)}", case.normal(case.rows, len(LOW)))
    chunk = case.normal(case.rows, steps, len(LOW))
    present = case.flags(0.5, case.rows, steps) if masked else torch.ones(case.rows, steps, dtype=torch.bool)
    case.column("window.action", f"unbounded {steps} {len(LOW)}", chunk)
    case.column("window.present", f"binary {steps}", present)
    td["vla_action", "chunk"] = chunk
    model.present = present if masked else None
    loss = ACTLoss(actor)
    case.begin(loss)
    with case.draws(LATENT, "=" + LATENT):
        loss.kl_weight = 0
        reconstruction = loss(td)["loss_act"]
        loss.kl_weight = weight
        out = loss(td)
    assert abs(reconstruction - out["loss_reconstruction"]) < 1e-12
    case.list("metric divergence", out["loss_kl"])
    case.finish(loss, {"update": ({"reconstruction": reconstruction, "divergence": out["loss_act"] - reconstruction}, ["actor"])})


header("act")
run("bounded", 1)
run("unbounded", 2, bounded=False, weight=0.3, activation="silu")
run("padding", 3, steps=5, latent=1, masked=True, weight=1.0)
