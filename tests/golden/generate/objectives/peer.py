# SPDX-License-Identifier: Apache-2.0
"""What the generators of tests/golden/objectives share: TorchRL's networks with the layers of plugins/policies/mlp, their
parameters under our names, the draws of TorchRL's distributions, and the text of a case (tests/unit/objectives/peer_case.hpp
says what its lines are).

A generator makes a `Case` of an objective, gives it networks and columns, calls TorchRL's loss inside `case.draws(...)`,
and hands the losses to `case.finish`, which differentiates them, makes one step of plain gradient descent, lets
TorchRL's SoftUpdate move the targets, and prints all of it.
"""

import contextlib
from functools import partial

import tensordict
import torch
import torchrl
from tensordict import TensorDict
from tensordict.nn import (AddStateIndependentNormalScale, CompositeDistribution, InteractionType, NormalParamExtractor,
                           TensorDictModule)
from torch import nn
from torchrl.modules import (BatchRenorm1d, IndependentNormal, ProbabilisticActor, QValueActor, TanhNormal,
                             ValueOperator)
from torchrl.objectives import SoftUpdate

# TorchRL computes constants (gamma, the shift of a softplus) in the default dtype.
torch.set_default_dtype(torch.float64)

ROWS = 7
LR = 0.1
TAU = 0.2
DISTANCES = {"huber": "smooth_l1", "l2": "l2", "l1": "l1"}  # our names, TorchRL's
ACTIVATIONS = {"tanh": nn.Tanh, "relu": nn.ReLU, "silu": nn.SiLU, "sigmoid": nn.Sigmoid, "softplus": nn.Softplus}


def header(objective):
    print(f"# torchrl {torchrl.__version__}, tensordict {tensordict.__version__}, torch", torch.__version__.split("+")[0])
    print(f"# made by: python tests/golden/generate/objectives/{objective}.py > tests/golden/objectives/{objective}.txt")


class Layers(nn.Module):
    """The layers of mlp::Body: linear ones with an activation between them, normalised before it; inputs are joined."""

    def __init__(self, inputs, outputs, hidden, activation, norm="none", warm_up=0):
        super().__init__()
        sizes = [inputs, *hidden, outputs]
        self.layers = nn.ModuleDict({str(i): nn.Linear(*pair) for i, pair in enumerate(zip(sizes, sizes[1:]))})
        for i, width in enumerate(hidden if norm != "none" else []):
            self.layers[f"norm{i}"] = {"layer": nn.LayerNorm, "batch_renorm": partial(
                BatchRenorm1d, warmup_steps=warm_up)}[norm](width).double()
        self.depth = len(hidden)
        self.activation = ACTIVATIONS[activation]()

    def forward(self, *inputs):
        x = torch.cat(inputs, -1)
        for i in range(self.depth):
            x = self.layers[str(i)](x)
            x = self.activation(self.layers[f"norm{i}"](x) if f"norm{i}" in self.layers else x)
        return self.layers[str(self.depth)](x)


class Split(nn.Module):
    """Layers whose outputs are a location and a scale, as mlp/tanh_normal has them."""

    def __init__(self, layers):
        super().__init__()
        self.body = layers
        self.extract = NormalParamExtractor(scale_mapping="biased_softplus_1.0", scale_lb=1e-4)

    def forward(self, *inputs):
        return self.extract(self.body(*inputs))


class Parts(nn.Module):
    """Layers whose outputs are scores of categories, and then locations and scales, as mlp/composite has them."""

    def __init__(self, layers, categories):
        super().__init__()
        self.body, self.categories = layers, categories
        self.extract = NormalParamExtractor(scale_mapping="biased_softplus_1.0", scale_lb=1e-4)

    def forward(self, *inputs):
        out = self.body(*inputs)
        return out[..., :self.categories], *self.extract(out[..., self.categories:])


class Squash(nn.Module):
    """The one action of mlp/deterministic, and of mlp/tanh_normal where its mode is asked for: only the first outputs,
    squashed by tanh into the bounds."""

    def __init__(self, layers, low, high):
        super().__init__()
        self.body = layers
        self.low, self.high = torch.tensor(low), torch.tensor(high)

    def forward(self, *inputs):
        loc = self.body(*inputs)[..., :len(self.low)]
        return self.low + (torch.tanh(loc) + 1) / 2 * (self.high - self.low)


def shake(params, generator, size=0.3):
    """Moves every number a little, so that targets differ from what they follow."""
    with torch.no_grad():
        for _, value in leaves(params):
            if value.is_floating_point():
                value.data += size * torch.randn(value.shape, generator=generator)


MIXER = {"hyper_w_1": ["weights"], "hyper_b_1": ["bias"], "hyper_w_final": ["last_weights"]}  # TorchRL's names, ours


def mixer_layer(parts):
    """Our name of a layer of QMixer; None where it is none."""
    if parts[0] in MIXER:
        return [*MIXER[parts[0]], *parts[1:]]
    return ["last_bias", {"0": "0", "2": "1"}[parts[1]], *parts[2:]] if parts[0] == "V" else None


def leaves(params):
    """Name and tensor of all parameters and buffers, named as ours: "0.weight"."""
    for key, value in params.items(include_nested=True, leaves_only=True):
        parts = [key] if isinstance(key, str) else list(key)
        if parts[-1] == "state_independent_scale":
            yield "scale", value
        while parts and parts[0] != "layers":
            if named := mixer_layer(parts):
                parts = ["layers", *named]
                break
            parts.pop(0)
        if parts:  # a support of atoms, say, is no parameter of ours
            yield ".".join(parts[1:]).replace("num_batches_tracked", "updates"), value


class Case:
    """One case on the way to its text. `hidden` and `activation` are those of all its networks."""

    def __init__(self, name, objective, seed, rows=ROWS, hidden=(5, 5), activation="tanh", **options):
        torch.manual_seed(seed)
        self.generator = torch.Generator().manual_seed(1000 + seed)
        self.rows, self.hidden, self.activation = rows, list(hidden), activation
        self.lines = [f"case {name}", f"objective {objective}"]
        for key, value in options.items():
            self.lines.append(f"option {key.rstrip('_')} {toml(value)}")
        self.roles = []  # role, name of the loss's attribute
        self.lists = []
        self.td = None
        self.updater = None
        self.own = {}
        self.targets = {}  # by role, as of the start

    # Networks

    def network(self, role, component, attribute, count=1, **options):
        """Says that TorchRL's loss has our network `role` as `attribute`_params (and target_...)."""
        self.lines.append(f"network {role} {component} {count}")
        for key, value in {"hidden": self.hidden, "activation": self.activation, **options}.items():
            self.lines.append(f"network_option {role} {key.rstrip('_')} {toml(value)}")
        self.roles.append((role, attribute))

    def layers(self, inputs, outputs, **norm):
        return Layers(inputs, outputs, self.hidden, self.activation, **norm)

    def q_value(self, observation, actions, role="qvalue", attribute="value_network", count=1):
        self.network(role, "mlp/q_value", attribute, count)
        return QValueActor(module=self.layers(observation, actions), in_keys=["observation"], action_space="categorical")

    def value(self, observation, role="value", attribute="critic_network", count=1):
        self.network(role, "mlp/value", attribute, count)
        return ValueOperator(self.layers(observation, 1), in_keys=["observation"])

    def q(self, observation, action, role="qvalue", attribute="qvalue_network", count=1, norm="none", warm_up=0):
        options = {} if norm == "none" else {"norm": norm, "renorm_warm_up": warm_up}
        self.network(role, "mlp/q", attribute, count, **options)
        layers = self.layers(observation + action, 1, norm=norm, warm_up=warm_up)
        return ValueOperator(layers, in_keys=["observation", "action"])

    def categorical(self, observation, actions, role="actor", attribute="actor_network"):
        self.network(role, "mlp/categorical", attribute)
        module = TensorDictModule(self.layers(observation, actions), in_keys=["observation"], out_keys=["logits"])
        return ProbabilisticActor(module, in_keys=["logits"], out_keys=["action"],
                                  distribution_class=torch.distributions.Categorical,
                                  default_interaction_type=InteractionType.RANDOM, return_log_prob=True)

    def tanh_normal(self, observation, low, high, role="actor", attribute="actor_network"):
        self.network(role, "mlp/tanh_normal", attribute)
        bounds = {"low": torch.tensor(low), "high": torch.tensor(high)}
        return self.split_actor(observation, len(low), TanhNormal, bounds)

    def unbounded_normal(self, observation, elements, role="actor", attribute="actor_network", scale="state"):
        self.network(role, "mlp/normal", attribute, scale=scale)
        free = None
        if scale == "free":
            free = nn.Sequential(self.layers(observation, elements), AddStateIndependentNormalScale(elements))
            with torch.no_grad():
                free[1].state_independent_scale += 0.3 * self.normal(elements)
        return self.split_actor(observation, elements, IndependentNormal, {}, free)

    def composite(self, observation, categories, elements, role="actor", attribute="actor_network"):
        self.network(role, "mlp/composite", attribute)
        parts = Parts(self.layers(observation, categories + 2 * elements), categories)
        module = TensorDictModule(parts, in_keys=["observation"], out_keys=[
            ("params", "move", "logits"), ("params", "push", "loc"), ("params", "push", "scale")])
        names = {name: ("action", name) for name in ("move", "push")}
        return ProbabilisticActor(module, in_keys=["params"], out_keys=list(names.values()),
                                  distribution_class=CompositeDistribution, distribution_kwargs={
                                      "distribution_map": {"move": torch.distributions.Categorical, "push": torch.distributions.Normal},
                                      "name_map": names},
                                  default_interaction_type=InteractionType.RANDOM, return_log_prob=True)

    def split_actor(self, observation, elements, distribution, more, both=None):
        both = both or Split(self.layers(observation, 2 * elements))
        module = TensorDictModule(both, in_keys=["observation"], out_keys=["loc", "scale"])
        return ProbabilisticActor(module, in_keys=["loc", "scale"], out_keys=["action"],
                                  distribution_class=distribution, distribution_kwargs=more,
                                  default_interaction_type=InteractionType.RANDOM, return_log_prob=True)

    def one_action(self, observation, low, high, component="mlp/deterministic", role="actor",
                   attribute="actor_network"):
        self.network(role, component, attribute)
        outputs = len(low) * (1 if component == "mlp/deterministic" else 2)
        return TensorDictModule(Squash(self.layers(observation, outputs), low, high), in_keys=["observation"],
                                out_keys=["action"])

    # Columns

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator)

    def uniform(self, *shape):
        return torch.rand(shape, generator=self.generator)

    def flags(self, probability, *shape):
        return torch.rand(shape, generator=self.generator) < probability

    def transitions(self, observation=3, reward=2.0):
        """A batch of rows whose episodes go on, terminate, are truncated, and both."""
        terminated, truncated = self.flags(0.3, self.rows, 1), self.flags(0.3, self.rows, 1)
        terminated[:4, 0] = torch.tensor([False, True, False, True])
        truncated[:4, 0] = torch.tensor([False, False, True, True])
        self.td = TensorDict({
            "observation": self.normal(self.rows, observation),
            "next": {"observation": self.normal(self.rows, observation), "reward": reward * self.normal(self.rows, 1),
                     "terminated": terminated, "truncated": truncated, "done": terminated | truncated}},
            batch_size=[self.rows])
        self.column("observation", f"unbounded {observation}")
        self.column("next.observation", f"unbounded {observation}")
        self.column("next.reward", "unbounded")
        for flag in ("terminated", "truncated", "done"):
            self.column(f"next.{flag}", "binary")
        return self.td

    def several_steps(self, most, gamma):
        """Rows of one to `most` steps: their rewards one by one, which TorchRL has discounted and summed."""
        rewards, steps = 2 * self.normal(self.rows, most), torch.arange(self.rows) % most + 1
        self.column("next.rewards", f"unbounded {most}", rewards)
        self.column("steps", "unbounded", steps.double())
        counts = gamma ** torch.arange(most) * (torch.arange(most) < steps[:, None])
        self.td["next", "reward"] = (counts * rewards).sum(-1, keepdim=True)
        self.td["steps_to_next_obs"] = steps[:, None]

    def column(self, key, spec, values=None):
        """A column of ours; its values are those of the tensordict under the same key, or the ones given here, which go
        there under it."""
        path = tuple(key.split("."))
        if values is not None:
            self.td.set(path, values)
        self.lines.append(f"column {key} {spec}")
        self.list(f"batch {key}", self.td.get(path))

    def replace(self, key, values):
        """Other values of a column that is there."""
        self.td.set(tuple(key.split(".")), values)
        self.lists = [line for line in self.lists if not line.startswith(f"batch {key} ")]
        self.list(f"batch {key}", values)

    def categorical_action(self, actions):
        self.column("action", f"categorical {actions}", torch.randint(actions, (self.rows,), generator=self.generator))

    def choices(self, actions, steps=1, gamma=1.0):
        """Transitions whose action is one of so many; with `steps`, rows of several."""
        td = self.transitions()
        self.categorical_action(actions)
        if steps > 1:
            self.several_steps(steps, gamma)
        return td

    def bounded_action(self, low, high, inside=0.9):
        """Within `inside` of the bounds: closer to them, rounding is all that is left of an action's pre-image."""
        low, high = torch.tensor(low), torch.tensor(high)
        unit = inside * (2 * self.uniform(self.rows, len(low)) - 1)
        spec = "bounded " + " ".join(number(x) for x in [*low, *high])
        self.column("action", spec, low + (unit + 1) / 2 * (high - low))

    def mask(self, probability):
        """Which rows count."""
        self.column("mask", "binary", self.flags(probability, self.rows))
        self.td["collector", "mask"] = self.td["mask"]

    # Draws

    def draw(self, stream, values):
        self.list(f"draw {stream}", values)

    @contextlib.contextmanager
    def draws(self, *streams):
        """Random normal numbers inside come from the case's seed, and in the order in which TorchRL asks for them are
        those of our streams. A stream may stand for more: None is a draw that ours does not make; a function is called
        with what was drawn; "=STREAM" gets what that stream has got before."""
        originals = torch.distributions.normal._standard_normal, torch.normal, torch.randn_like
        left, drawn = list(streams), {}

        def recorded(shape, dtype, device):
            stream = left.pop(0)
            if isinstance(stream, str) and stream.startswith("="):
                return drawn[stream[1:]]
            values = torch.randn(shape, generator=self.generator, dtype=dtype, device=device)
            if callable(stream):
                stream(values)
            elif stream is not None:
                drawn[stream] = values
                self.draw(stream, values)
            return values

        torch.distributions.normal._standard_normal = recorded
        torch.normal = lambda mean, std: mean + std * recorded(mean.shape, mean.dtype, mean.device)
        torch.randn_like = lambda like: recorded(like.shape, like.dtype, like.device)
        try:
            yield
        finally:
            torch.distributions.normal._standard_normal, torch.normal, torch.randn_like = originals
        assert not left, f"{left} were not drawn"

    # Text

    def list(self, words, values):
        self.lists.append(words + " " + " ".join(number(x) for x in torch.as_tensor(values).detach().reshape(-1)))

    def begin(self, loss, own=()):
        """Call it before the loss is computed: moves targets, and notes all parameters. `own`: names of the objective's
        own parameters and the loss's attribute for each."""
        for role, attribute in self.roles:
            self.parameters("live", role, getattr(loss, f"{attribute}_params"))
            if getattr(loss, f"delay_{attribute.split('_')[0]}", False):
                # an updater begins by making targets equal to what they follow
                self.updater = self.updater or SoftUpdate(loss, tau=TAU)
                target = getattr(loss, f"target_{attribute}_params")
                shake(target, self.generator)
                self.parameters("target", role, target)
                self.targets[role] = [(name, value.clone()) for name, value in leaves(target)]
        self.own = dict(own)
        for name, attribute in self.own.items():
            self.list(f"live objective {name}", getattr(loss, attribute))

    def priority(self, values):
        """Of each row: how far the furthest critic is from its target."""
        self.list("written priority", values)

    def parameters(self, word, role, params):
        for name, value in leaves(params):
            self.list(f"{word} {role} {name}", value)

    def finish(self, loss, stages, moved=(), updates=0):
        """`stages`: {our stage: ({our loss: tensor}, roles that it owns)}. Each stage's losses are differentiated by what
        it owns. `moved`: roles that have a target, of the stages that are due; other targets stay. `updates`: how many were before."""
        stepped = []
        for stage, (terms, owned) in stages.items():
            for name, term in terms.items():
                self.list(f"loss {name}", term)
            total = sum(terms.values())
            for role in owned:
                named = self.named_parameters(loss, role)
                gradients = torch.autograd.grad(total, [value for _, value in named], retain_graph=True, allow_unused=True)
                for (name, value), gradient in zip(named, gradients):
                    value.grad = torch.zeros_like(value) if gradient is None else gradient
                    self.list(f"gradient {stage} {role} {name}", value.grad)
                    stepped.append(value)
        torch.optim.SGD(stepped, lr=LR).step()
        if self.updater is not None:
            self.updater.step()
        for role, attribute in self.roles:
            now = leaves(getattr(loss, f"target_{attribute}_params")) if role in moved else self.targets.get(role, [])
            for name, value in now:
                self.list(f"moved {role} {name}", value)
            for name, value in leaves(getattr(loss, f"{attribute}_params")):
                if not isinstance(value, nn.Parameter):
                    self.list(f"state {role} {name}", value)
        self.print([f"rows {self.rows}", f"updates {updates}", f"lr {LR}", f"tau {TAU}"])

    def named_parameters(self, loss, role):
        if role == "objective":
            return [(name, getattr(loss, attribute)) for name, attribute in self.own.items()]
        named = leaves(getattr(loss, f"{dict(self.roles)[role]}_params"))
        return [(name, value) for name, value in named if isinstance(value, nn.Parameter)]

    def print(self, more):
        print("\n".join([*self.lines, *more, *self.lists, "end"]))


def number(value):
    return f"{float(value):.17g}"


def toml(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(toml(x) for x in value) + "]"
    return repr(value)
