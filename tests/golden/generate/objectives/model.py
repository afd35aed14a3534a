# SPDX-License-Identifier: Apache-2.0
"""The loss of PETS (Chua et al. 2018, arXiv 1805.12114, section 4), written in torch, against model/fit with model/ensemble: the
likelihood of normal distributions whose log-variances are between two bounds that are learnt. Made with torchrl 0.14.1 (for what
generators share), torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/model.py > tests/golden/objectives/model.txt
"""

from types import SimpleNamespace

import torch
from peer import Case, header
from tensordict import TensorDict
from torch import nn
from torch.nn.functional import softplus

OBSERVATION, ACTION = 3, 2


class Moments:
    """Of 20 rows before, which those of the batch are added to; each member has its own."""

    def __init__(self, case, width, members):
        self.mean, self.variance = case.normal(members, width), 0.5 + case.normal(members, width).square()
        self.count = torch.full((members, 1), 20.0)

    def deviation(self):
        return self.variance.sqrt()[:, None]

    def normalised(self, x):
        return (x - self.mean[:, None]) / self.deviation()

    def add(self, x):
        rows, off = x.shape[0], x.mean(0) - self.mean
        both = self.count + rows
        self.variance = (self.variance * self.count + x.var(0, unbiased=False) * rows + off.square() * self.count * rows / both) / both
        self.mean, self.count = self.mean + off * rows / both, both

    def tensors(self):
        return {"mean": self.mean, "variance": self.variance, "count": self.count}


def run(name, seed, members):
    case = Case(name, "model/fit", seed, activation="silu")
    case.network("model", "model/ensemble", "model", count=members)
    case.transitions(OBSERVATION)
    case.column("action", f"unbounded {ACTION}", case.normal(case.rows, ACTION))
    case.column("bootstrap", f"unbounded {members}", case.flags(0.7, case.rows, members).double())
    td = case.td
    change = torch.cat([td["next", "observation"] - td["observation"], td["next", "reward"]], -1)
    seen = torch.cat([td["observation"], td["action"]], -1)
    width = OBSERVATION + 1
    nets = [case.layers(OBSERVATION + ACTION, 2 * width) for _ in range(members)]
    weights = {number: {kind: nn.Parameter(torch.stack([getattr(net.layers[number], kind).detach() for net in nets]))
                        for kind in ("weight", "bias")} for number in nets[0].layers}
    bounds = {"most_log_variance": nn.Parameter(0.3 * case.normal(members, width)),
              "least_log_variance": nn.Parameter(-4 + 0.3 * case.normal(members, width))}
    inputs, outputs = Moments(case, OBSERVATION + ACTION, members), Moments(case, width, members)

    def parameters():
        tensors = {**weights, **bounds, "inputs": inputs.tensors(), "outputs": outputs.tensors()}
        return TensorDict({"layers": tensors}, [])

    loss = SimpleNamespace(model_params=parameters())
    case.begin(loss)
    x = inputs.normalised(seen)
    last = str(len(case.hidden))
    for number, layer in weights.items():
        x = torch.einsum("mbi,moi->mbo", x, layer["weight"]) + layer["bias"][:, None]
        x = x if number == last else nn.functional.silu(x)
    most, least = bounds["most_log_variance"][:, None], bounds["least_log_variance"][:, None]
    log_variance = most - softplus(most - x[..., width:])
    log_variance = least + softplus(log_variance - least)
    off = outputs.normalised(change) - x[..., :width]
    each = 0.5 * (off.square() * (-log_variance).exp() + log_variance).mean(-1) + 0.01 * (most - least).sum(-1)
    total = (each * td["bootstrap"].T).sum(0).mean()
    inputs.add(seen)
    outputs.add(change)
    loss.model_params = parameters()
    case.finish(loss, {"update": ({"likelihood": total}, ["model"])})


header("model")
run("one", 1, 1)
run("ensemble", 2, 3)
