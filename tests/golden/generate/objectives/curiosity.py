# SPDX-License-Identifier: Apache-2.0
"""RNDLoss of TorchRL and the running moments of its RNDTransform against curiosity/rnd with curiosity/distillation; and the
losses of Pathak et al. 2017 (arXiv 1705.05363, equations 2 to 7), which TorchRL has not, written in torch, against curiosity/icm
with curiosity/dynamics. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/objectives/curiosity.py > tests/golden/objectives/curiosity.txt
TorchRL computes moments and observations in float32; here they are in float64 like everything else.
"""

from types import SimpleNamespace

import torch
from peer import Case, header
from tensordict import TensorDict
from torch import nn
from torchrl.envs.transforms.rnd import RunningMeanStd
from torchrl.objectives.rnd import RNDLoss

OBSERVATION, FEATURES = 3, 4
torch.Tensor.float = torch.Tensor.double


def moments(shape, like):
    out = RunningMeanStd(shape).double()
    out.count.fill_(20.0)
    out.mean.copy_(like(*shape) if shape else like(1)[0])
    out.var.copy_((0.5 + like(*shape).square()) if shape else 0.7)
    return out


def of_layers(layers, fixed):
    """Our names of linear layers; what never changes is a state."""
    kept = (lambda x: x.detach()) if fixed else (lambda x: x)
    return {name: {"weight": kept(layer.weight), "bias": kept(layer.bias)} for name, layer in layers.layers.items()}


def of_moments(rms):
    return {"mean": rms.mean.reshape(-1).clone(), "variance": rms.var.reshape(-1).clone(), "count": rms.count.reshape(-1).clone()}


def run(name, seed, activation="relu", share=1.0, normalise=False):
    case = Case(name, "curiosity/rnd", seed, activation=activation, share=share)
    case.network("curiosity", "curiosity/distillation", "curiosity", size=FEATURES, normalise_observation=normalise,
                 normalise_bonus=normalise)
    case.td = TensorDict({"next": {"observation": 2 * case.normal(case.rows, OBSERVATION)}}, [case.rows])
    case.column("next.observation", f"unbounded {OBSERVATION}")
    predictor, target = (case.layers(OBSERVATION, FEATURES) for _ in range(2))
    seen = moments((OBSERVATION,), case.normal) if normalise else None
    errors = moments((), case.normal) if normalise else None
    loss = RNDLoss(predictor, target, obs_rms=seen, update_fraction=share)

    def parameters():
        known = {"observation": of_moments(seen), "error": of_moments(errors)} if normalise else {}
        return TensorDict({"layers": {"predictor": of_layers(predictor, False), "target": of_layers(target, True), **known}}, [])

    loss.curiosity_params = parameters()
    case.begin(loss)
    if share < 1:
        drawn = case.uniform(case.rows)
        case.draw("curiosity/rnd.update/learnt", drawn)
        torch.rand = lambda *_, **__: drawn
    out = loss(case.td)
    if normalise:  # what RNDTransform does with a step, after the loss has read the moments
        x = seen.normalize(case.td["next", "observation"]).clamp(-loss.obs_clip, loss.obs_clip)
        error = (predictor(x) - target(x)).square().mean(-1)
        seen.update(case.td["next", "observation"])
        errors.update(error)
    loss.curiosity_params = parameters()
    case.finish(loss, {"update": ({"predictor": out["loss_predictor"]}, ["curiosity"])})


def icm(name, seed, categories=0, weight=0.2):
    case = Case(name, "curiosity/icm", seed, activation="tanh", forward_weight=weight)
    case.network("curiosity", "curiosity/dynamics", "curiosity", size=FEATURES, normalise_observation=False, normalise_bonus=False)
    case.td = TensorDict({"observation": case.normal(case.rows, OBSERVATION), "next": {"observation": case.normal(case.rows, OBSERVATION)}},
                         [case.rows])
    case.column("observation", f"unbounded {OBSERVATION}")
    case.column("next.observation", f"unbounded {OBSERVATION}")
    if categories:
        case.categorical_action(categories)
        action = nn.functional.one_hot(case.td["action"], categories).double()
    else:
        action = case.normal(case.rows, 2)
        case.column("action", "unbounded 2", action)
    width = action.shape[-1]
    features, forward, inverse = (case.layers(*sizes) for sizes in (
        (OBSERVATION, FEATURES), (FEATURES + width, FEATURES), (2 * FEATURES, width)))
    named = {"features": features, "forward": forward, "inverse": inverse}
    loss = SimpleNamespace(curiosity_params=TensorDict({"layers": {key: of_layers(one, False) for key, one in named.items()}}, []))
    case.begin(loss)
    now, then = features(case.td["observation"]), features(case.td["next", "observation"])
    forward_loss = 0.5 * (forward(now, action) - then).square().sum(-1).mean()
    told = inverse(now, then)
    inverse_loss = nn.functional.cross_entropy(told, case.td["action"]) if categories else 0.5 * (told - action).square().sum(-1).mean()
    case.finish(loss, {"update": ({"forward": weight * forward_loss, "inverse": (1 - weight) * inverse_loss}, ["curiosity"])})


header("curiosity")
run("plain", 1)
run("share", 2, activation="tanh", share=0.5)
icm("icm_choices", 4, categories=3)
icm("icm_numbers", 5, weight=0.7)
run("normalised", 3, activation="tanh", normalise=True)
