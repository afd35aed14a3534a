# SPDX-License-Identifier: Apache-2.0
"""DTLoss and OnlineDTLoss of TorchRL against decision/transformer and decision/online, with TorchRL's DecisionTransformer
(GPT-2 of transformers) against transformer/decision. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU),
transformers 5.24.0.
Command, from the root of the repository:
    python tests/golden/generate/objectives/decision.py > tests/golden/objectives/decision.txt
"""

import math
import re

import torch
from peer import LR, TAU, Case, header
from tensordict import TensorDict
from tensordict.nn import InteractionType, NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.modules import DecisionTransformer, ProbabilisticActor, TanhNormal
from torchrl.objectives import DTLoss, OnlineDTLoss

LOW, HIGH = [-2.0, -2.0], [1.0, 1.0]  # the same of all elements: heads cannot match other bounds with places
PLACES, OBSERVATION, WIDTH, INNER, LAYERS, HEADS, SCALE = 4, 3, 6, 10, 2, 2, 0.5
# GPT-2's names and ours. Its Conv1D keeps weights transposed.
NAMES = {"embed_return": "return", "embed_state": "observation", "embed_action": "action", "embed_ln": "embed_norm",
         "attn.c_attn": "qkv", "attn.c_proj": "out", "mlp.c_fc": "up", "mlp.c_proj": "down", "ln_1": "norm1", "ln_2": "norm2"}


def ours(name):
    """Role and name of a parameter of `Trunk` or of its head, and whether it is transposed; None for what is not used."""
    name = name.removeprefix("module.").removeprefix("0.module.")
    if "head." in name:
        return "actor", "0." + name.split(".")[-1], False
    if "wte" in name:
        return None
    if "wpe" in name:
        return "trunk", "place", False
    end = name.split(".")[-1]
    if found := re.search(r"\.h\.(\d+)\.(.*)\.(weight|bias)$", name):
        block, layer = found.group(1), found.group(2)
        return "trunk", f"block{block}.{NAMES[layer]}.{end}", end == "weight" and not layer.startswith("ln")
    if "ln_f" in name:
        return "trunk", f"norm.{end}", False
    return "trunk", f"{NAMES[name.split('.')[-2]]}.{end}", False


class Trunk(nn.Module):
    """TorchRL's transformer with a layer after it: squashed into the bounds, or a location and a scale."""

    def __init__(self, squash):
        super().__init__()
        config = DecisionTransformer.DTConfig(n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS, n_inner=INNER, activation="relu",
                                              n_positions=3 * PLACES, resid_pdrop=0.0, attn_pdrop=0.0)
        self.transformer = DecisionTransformer(OBSERVATION, len(LOW), config)
        self.head = nn.Linear(WIDTH, len(LOW) * (1 if squash else 2))
        self.squash = squash
        self.extract = NormalParamExtractor(scale_mapping="biased_softplus_1.0", scale_lb=1e-4)

    def forward(self, observation, action, return_to_go):
        out = self.head(self.transformer(observation, action, SCALE * return_to_go))
        if not self.squash:
            return self.extract(out)
        low, high = torch.tensor(LOW), torch.tensor(HIGH)
        return low + (torch.tanh(out) + 1) / 2 * (high - low)


class Windows(Case):
    """A case whose rows are windows. TorchRL's losses are those of each place; here they are averaged over present ones."""

    def window(self, padded):
        self.td = TensorDict({}, batch_size=[self.rows, PLACES])
        bounds = " ".join(str(x) for x in [*LOW, *HIGH])
        for key, spec in (("observation", f"unbounded {OBSERVATION}"), ("action", f"bounded {bounds}"),
                          ("return_to_go", "unbounded")):
            self.lines.append(f"column {key} {spec}")
        low, high = torch.tensor(LOW), torch.tensor(HIGH)
        unit = 0.9 * (2 * self.uniform(self.rows, PLACES, len(LOW)) - 1)
        self.values("observation", self.normal(self.rows, PLACES, OBSERVATION))
        self.values("action", low + (unit + 1) / 2 * (high - low))
        self.values("return_to_go", 2 * self.normal(self.rows, PLACES, 1))
        self.present = torch.ones(self.rows, PLACES, dtype=torch.bool)
        if padded:
            # on the right, where causal attention cannot see it: TorchRL's transformer takes no mask
            self.present = torch.arange(PLACES) <= torch.arange(self.rows)[:, None] % PLACES
        self.lines.append(f"column window.present binary {PLACES}")
        self.list("batch window.present", self.present)

    def values(self, key, values):
        self.td.set(key, values)
        self.lines.append(f"column window.{key} window {key} {PLACES}")
        self.list(f"batch window.{key}", values)
        self.list(f"batch {key}", values[:, -1])  # of the frame itself, which is not read

    def mean(self, places):
        return places[self.present].mean()

    def networks(self, component):
        sizes = {"context": PLACES, "layers": LAYERS, "heads": HEADS, "width": WIDTH, "inner": INNER, "activation": '"relu"',
                 "return_scale": SCALE}
        self.lines.append("network trunk transformer/decision 1")
        self.lines += [f"network_option trunk {key} {value}" for key, value in sizes.items()]
        self.lines.append(f"network actor {component} 1")
        self.lines += ["network_option actor hidden []", 'network_option actor in ["trunk.features"]']

    def parameters_of(self, loss):
        """Our role and name, the parameter, and how it is printed."""
        for key, value in loss.actor_network_params.items(include_nested=True, leaves_only=True):
            name = ours(".".join([key] if isinstance(key, str) else key))
            if name is not None:
                yield name[0], name[1], value, (lambda x: x.T.contiguous()) if name[2] else (lambda x: x)

    def settle(self, loss, stages, own=()):
        """The losses of each stage are differentiated by what it owns. `own`: the objective's own parameters."""
        for role, name, value, shown in self.parameters_of(loss):
            self.list(f"live {role} {name}", shown(value))
        for name in own:
            self.list(f"live objective {name}", getattr(loss, name))
        for stage, (terms, owned) in stages.items():
            for name, term in terms.items():
                self.list(f"loss {name}", term)
            named = [each for each in self.parameters_of(loss) if each[0] in owned]
            named += [("objective", name, getattr(loss, name), lambda x: x) for name in own if "objective" in owned]
            gradients = torch.autograd.grad(sum(terms.values()), [each[2] for each in named], retain_graph=True,
                                            allow_unused=True)
            for (role, name, value, shown), gradient in zip(named, gradients):
                self.list(f"gradient {stage} {role} {name}", shown(torch.zeros_like(value) if gradient is None else gradient))
        self.print([f"rows {self.rows}", "updates 0", f"lr {LR}", f"tau {TAU}"])


def spread(module, generator):
    """Normal numbers for all parameters, so that none has its initial value of 0 or 1."""
    with torch.no_grad():
        for value in module.parameters():
            value.copy_(value + 0.3 * torch.randn(value.shape, generator=generator))


KEYS = ["observation", "action", "return_to_go"]


def transformer(name, seed, kind, padded):
    case = Windows(name, "decision/transformer", seed, loss=kind)
    case.networks("mlp/deterministic")
    case.window(padded)
    trunk = Trunk(True).eval()
    spread(trunk, case.generator)
    actor = TensorDictModule(trunk, in_keys=KEYS, out_keys=["action"])
    loss = DTLoss(actor, loss_function={"huber": "smooth_l1"}.get(kind, kind), reduction="none")
    places = loss(case.td)["loss"].mean(-1)
    case.settle(loss, {"update": ({"clone": case.mean(places)}, ["trunk", "actor"])})


def online(name, seed, padded, alpha=1.0, target=-1.0, learnt=True):
    case = Windows(name, "decision/online", seed, alpha=alpha, target_entropy=target, learn_alpha=learnt)
    case.networks("mlp/tanh_normal")
    case.window(padded)
    trunk = Trunk(False).eval()
    spread(trunk, case.generator)
    actor = ProbabilisticActor(TensorDictModule(trunk, in_keys=KEYS, out_keys=["loc", "scale"]), in_keys=["loc", "scale"],
                               out_keys=["action"], distribution_class=TanhNormal,
                               distribution_kwargs={"low": torch.tensor(LOW), "high": torch.tensor(HIGH)},
                               default_interaction_type=InteractionType.RANDOM, return_log_prob=True)
    # our option is for each element of the action
    loss = OnlineDTLoss(actor, alpha_init=alpha, fixed_alpha=not learnt, target_entropy=target * len(LOW), reduction="none",
                        scalar_output_mode="exclude")
    with case.draws("decision/online.update/actor.entropy/entropy"):
        out = loss(case.td)
    terms = {key: case.mean(out[key].reshape(case.rows, PLACES)) for key in
             ("loss_log_likelihood", "loss_entropy", "loss_alpha")}
    stages = {"actor": ({"actor.likelihood": terms["loss_log_likelihood"], "actor.entropy": terms["loss_entropy"]},
                        ["trunk", "actor"])}
    if learnt:
        stages["temperature"] = ({"temperature.alpha": terms["loss_alpha"]}, ["objective"])
    case.list("metric alpha", alpha)
    case.list("metric entropy", -terms["loss_entropy"] / alpha)
    case.settle(loss, stages, ["log_alpha"])
    assert math.isclose(loss.log_alpha.exp().item(), alpha)


header("decision")
transformer("whole_windows", 1, "l2", False)
transformer("huber", 2, "huber", False)
transformer("l1", 3, "l1", False)
transformer("padded", 7, "l2", True)
online("online", 4, False)
online("online_fixed_temperature", 5, False, alpha=0.2, learnt=False)
online("online_other_entropy", 6, False, alpha=0.5, target=-0.3)
online("online_padded", 8, True)
