# SPDX-License-Identifier: Apache-2.0
"""DiffusionBCLoss of TorchRL against diffusion/diffusion with chunks/denoiser, which predicts the noise. TorchRL's action
is a whole chunk, scaled to [-1, 1], and its network makes sines and cosines of the step. Made with torchrl 0.14.1,
tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/diffusion.py > tests/golden/objectives/diffusion.txt
"""

import math

import torch
from peer import ACTIVATIONS, Case, header
from tensordict import TensorDict
from torch import nn
from torchrl.modules import DiffusionActor
from torchrl.objectives import DiffusionBCLoss

LOW, HIGH = [-2.0, -0.5], [1.0, 3.0]
PATH = "diffusion/diffusion.update/actor.denoise/"
EMBEDDING = 6


class Score(nn.Module):
    def __init__(self, case, chunk, observation):
        super().__init__()
        sizes = [chunk + observation + EMBEDDING, *case.hidden, chunk]
        stack = nn.ModuleDict({str(i): nn.Linear(*pair) for i, pair in enumerate(zip(sizes, sizes[1:]))})
        self.layers = nn.ModuleDict({"denoiser": stack})
        self.activation = ACTIVATIONS[case.activation]()

    def forward(self, x):
        half = EMBEDDING // 2
        angle = x[..., -1:].double() * torch.exp(-math.log(10_000) / (half - 1) * torch.arange(half))
        x = torch.cat([x[..., :-1].double(), angle.sin(), angle.cos()], -1)
        stack = self.layers["denoiser"]
        for i in range(len(stack) - 1):
            x = self.activation(stack[str(i)](x))
        return stack[str(len(stack) - 1)](x)


def run(name, seed, steps=4, bounded=True, noise_steps=100, activation="tanh"):
    case = Case(name, "diffusion/diffusion", seed, activation=activation)
    case.network("actor", "chunks/denoiser", "actor_network", chunk=steps, predicts="noise", schedule="linear", noise_steps=noise_steps,
                 embedding=EMBEDDING)
    width = len(LOW)
    actor = DiffusionActor(action_dim=steps * width, obs_dim=3, score_network=Score(case, steps * width, 3), num_steps=noise_steps)
    td = case.transitions()
    chunk = case.normal(case.rows, steps, width)
    if bounded:
        case.bounded_action(LOW, HIGH)
        low, high = torch.tensor(LOW), torch.tensor(HIGH)
        scaled = (chunk - low) / (high - low) * 2 - 1
    else:
        case.column("action", f"unbounded {width}", case.normal(case.rows, width))
        scaled = chunk
    case.column("window.action", f"unbounded {steps} {width}", chunk)
    loss = DiffusionBCLoss(actor)
    case.begin(loss)
    uniform = case.uniform(case.rows, 1)
    case.draw(PATH + "step", uniform)
    randint = torch.randint
    torch.randint = lambda low, high, size, device=None: (uniform * high).long().reshape(size)
    with case.draws(PATH + "noise"):
        out = loss(TensorDict({"observation": td["observation"], "action": scaled.flatten(-2)}, [case.rows]))
    torch.randint = randint
    case.finish(loss, {"update": ({"clone": out["loss_diffusion_bc"]}, ["actor"])})


header("diffusion")
run("bounded", 1)
run("unbounded", 2, bounded=False, activation="silu")
run("few_steps", 3, noise_steps=7, steps=2)
