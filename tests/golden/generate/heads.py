# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/heads/: torch.distributions in float64, and TorchRL's maps to scales.

Made with torch 2.13.0 (CPU): Categorical, OneHotCategorical, Bernoulli, Normal, and Normal under TanhTransform and
AffineTransform, and kl_divergence of two of them (log-probs, entropies and divergences summed over the last dimension);
torchrl 0.14.1 / tensordict 0.14.3: Ordinal; TruncatedNormal without the bounds that it sets to probabilities, its divergences by
Gauss and Legendre's quadrature; NormalParamExtractor("biased_softplus_1.0") and AddStateIndependentNormalScale; tensordict's CompositeDistribution with
its log-probs apart and together. All inputs are numbers of float32, so that both dtypes start from the same ones. "kl" is from `other` to the distribution.
Command, from the root of the repository:
    python tests/golden/generate/heads.py > tests/golden/heads.txt
"""

import numpy
import torch
from tensordict import TensorDict
from tensordict.nn import AddStateIndependentNormalScale, CompositeDistribution, NormalParamExtractor, set_composite_lp_aggregate
from torch.distributions import Bernoulli, Categorical, Normal, OneHotCategorical, TransformedDistribution, kl_divergence
from torch.distributions.transforms import AffineTransform, TanhTransform
from torchrl.modules import TruncatedNormal
from torchrl.modules.distributions.discrete import Ordinal
from torchrl.modules.distributions.truncated_normal import TruncatedStandardNormal

ROWS = 40
EDGES = 8  # the last rows of a case

# TorchRL computes the shift of its softplus in the default dtype.
torch.set_default_dtype(torch.float64)

LOW = torch.tensor([-2.0, 0.25, -1.0])
HIGH = torch.tensor([0.5, 4.0, 1.0])

generator = torch.Generator().manual_seed(300)


def single(values):
    return values.to(torch.float32).to(torch.float64)


def normal(*shape):
    return torch.randn(shape, generator=generator)


def uniform(*shape):
    return torch.rand(shape, generator=generator)


def powers(low, high, *shape):
    return 10 ** (low + (high - low) * uniform(*shape))


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def divergence(before, now):
    """torch's; but where a probability of `now` underflows it says infinity, and the logits say how much."""
    out = (before.probs * (before.logits - now.logits)).sum(-1)
    torchs = kl_divergence(before, now)
    known = torchs.isfinite()
    assert torch.allclose(out[known], torchs[known], rtol=1e-13, atol=1e-13)
    return out


def exactly(of, logits):
    """torch subtracts a logsumexp, which is rounded as huge logits are; log_softmax subtracts the largest first."""
    return of(logits=logits.log_softmax(-1))


def case(name, **lists):
    print("case", name)
    print("rows", ROWS)
    for key, values in lists.items():
        line(key.replace("other_", "other."), values)
    print("end")


def compare(name, now, before, given, other, action, kl=kl_divergence, mean=True):
    """A case of two distributions with the parameters `given` and `other`; of elements that are each their own the
    numbers are summed."""

    def total(values):
        return values if values.dim() == 1 else values.sum(-1)

    case(name, **given, **{f"other_{key}": value for key, value in other.items()}, action=action,
         log_prob=total(now.log_prob(action)), entropy=total(now.entropy()), kl=total(kl(before, now)), mode=now.mode,
         **({"mean": now.mean} if mean else {}))


def scores(classes):
    """Of all sizes; the last rows have logits that leave nothing to chance, equal ones and huge ones."""
    out = normal(ROWS, classes) * powers(-1, 1, ROWS, 1)
    out[-EDGES:-4] *= 1000
    out[-4] = 0
    out[-3] = 1e4
    out[-2, 0] = 500
    out[-1] = -1e6
    return single(out)


print("# distributions of torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/heads.py > tests/golden/heads.txt")

logits, other = scores(5), scores(5).flip(0)
action = torch.randint(5, (ROWS,), generator=generator)
compare("categorical", exactly(Categorical, logits), exactly(Categorical, other), dict(logits=logits), dict(logits=other),
        action, kl=divergence, mean=False)
hot = torch.nn.functional.one_hot(action, 5).to(torch.float64)
compare("one_hot", exactly(OneHotCategorical, logits), exactly(OneHotCategorical, other), dict(logits=logits),
        dict(logits=other), hot, kl=divergence)

SIZES = [3, 2, 4]
logits, other = scores(sum(SIZES)), scores(sum(SIZES)).flip(0)
parts = [exactly(Categorical, part) for part in logits.split(SIZES, -1)]
others = [exactly(Categorical, part) for part in other.split(SIZES, -1)]
action = torch.stack([torch.randint(size, (ROWS,), generator=generator) for size in SIZES], -1)
case("multi_categorical", logits=logits, other_logits=other, action=action,
     log_prob=sum(part.log_prob(action[:, i]) for i, part in enumerate(parts)),
     entropy=sum(part.entropy() for part in parts),
     kl=sum(divergence(p, q) for p, q in zip(others, parts, strict=True)),
     mode=torch.stack([part.mode for part in parts], -1))

# torch forms 1 - p of a Bernoulli's clamped probability: beyond 30 that is all its entropy and divergence are
logits, other = scores(3).clamp(-30, 30), scores(3).clamp(-30, 30).flip(0)
logits[logits == 0] = 0.5  # torch has no mode at one half
action = (uniform(ROWS, 3) < 0.5).to(torch.float64)
compare("bernoulli", Bernoulli(logits=logits), Bernoulli(logits=other), dict(logits=logits), dict(logits=other), action)

loc, scale = single(2 * normal(ROWS, 3)), powers(-1.5, 0.5, ROWS, 3)
scale[-EDGES:-4] = 1e-4
scale[-4:] = 1e4
scale = single(scale)
action = single(loc + 3 * scale * (2 * uniform(ROWS, 3) - 1))
other_loc, other_scale = single(loc + scale * normal(ROWS, 3)), single(scale * powers(-0.5, 0.5, ROWS, 3))
compare("normal", Normal(loc, scale), Normal(other_loc, other_scale), dict(loc=loc, scale=scale),
        dict(loc=other_loc, scale=other_scale), action)

AFFINE = AffineTransform(loc=LOW + (HIGH - LOW) / 2, scale=(HIGH - LOW) / 2)


def squashed(name, loc, scale, pre):
    """`pre` are the pre-images of the stored actions, as float64 has them."""
    loc, scale = single(loc), single(scale)
    other_loc, other_scale = single(loc + scale * normal(ROWS, 3)), single(scale * powers(-0.5, 0.5, ROWS, 3))
    action = single(AFFINE(torch.tanh(pre)))
    transforms = [TanhTransform(), AFFINE]
    now = TransformedDistribution(Normal(loc, scale), transforms)
    before = TransformedDistribution(Normal(other_loc, other_scale), transforms)
    case(name, low=LOW, high=HIGH, loc=loc, scale=scale, other_loc=other_loc, other_scale=other_scale, action=action,
         log_prob=now.log_prob(action).sum(-1), kl=kl_divergence(before, now).sum(-1), mode=AFFINE(torch.tanh(loc)))


# in the middle, where an action says nearly all of its pre-image in float32 too; of all scales; and where tanh is all
# but flat (1 - tanh(5) is 9e-5) and the mode lies on the bound
squashed("tanh_normal", normal(ROWS, 3), powers(-0.3, 0.5, ROWS, 3), 2 * uniform(ROWS, 3) - 1)
squashed("tanh_normal_scales", normal(ROWS, 3), powers(-4, 1, ROWS, 3), 6 * uniform(ROWS, 3) - 3)
side = torch.where(uniform(ROWS, 3) < 0.5, -1.0, 1.0)
squashed("tanh_normal_saturated", side * (5 + 20 * uniform(ROWS, 3)), powers(0, 1, ROWS, 3), side * 5)

TruncatedStandardNormal.eps = 0.0
NODES, WEIGHTS = (torch.from_numpy(part) for part in numpy.polynomial.legendre.leggauss(400))


def truncated(loc, scale):
    return TruncatedNormal(loc, scale, low=LOW, high=HIGH)


def integral(before, now):
    """Of p (log p - log q), element by element, where p is not 0 in float64."""
    low = torch.maximum(LOW.expand_as(before.loc), before.loc - 40 * before.scale)
    high = torch.minimum(HIGH.expand_as(before.loc), before.loc + 40 * before.scale)
    total = 0
    pieces = 40
    for piece in range(pieces):
        start, width = low + (high - low) * piece / pieces, (high - low) / pieces
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            at = start + width * (node + 1) / 2
            p, q = before.base_dist.log_prob(at), now.base_dist.log_prob(at)
            total = total + weight * width / 2 * p.exp() * (p - q)
    return total.sum(-1)


scale = powers(-1, 1, ROWS, 3)
scale[-EDGES:-4] = 1e-3  # bounds that are as good as none
scale[-4:] = 100  # all but uniform
loc, scale = single(LOW + (HIGH - LOW) * uniform(ROWS, 3)), single(scale)
other_loc, other_scale = single(LOW + (HIGH - LOW) * uniform(ROWS, 3)), single(scale * powers(-0.5, 0.5, ROWS, 3))
other_loc[-EDGES:-4] = single(loc + scale)[-EDGES:-4]
action = single(LOW + (HIGH - LOW) * uniform(ROWS, 3))
action[-EDGES:-4] = single(loc + scale * normal(ROWS, 3))[-EDGES:-4]
other_loc = torch.minimum(torch.maximum(other_loc, LOW), HIGH)
action = torch.minimum(torch.maximum(action, LOW), HIGH)
action[0], action[1] = LOW, HIGH
compare("truncated_normal", truncated(loc, scale), truncated(other_loc, other_scale), dict(loc=loc, scale=scale),
        dict(loc=other_loc, scale=other_scale), action, kl=integral)

raw = single(normal(ROWS, 3) * 8)
extract = NormalParamExtractor(scale_mapping="biased_softplus_1.0", scale_lb=1e-4)
half = NormalParamExtractor(scale_mapping="biased_softplus_0.5", scale_lb=1e-4)
free = AddStateIndependentNormalScale((ROWS, 3))
free.state_independent_scale.data.copy_(raw)
both = torch.cat([raw, raw], -1)
case("scale", raw=raw, scale=extract(both)[1], half=half(both)[1], free=free(raw)[1].detach())

# Five heads at once: 4 categories, 2 yes or no, 3 categories as one-hot, 2 normals, 3 cut normals. "parameters" are
# those of one after the other, "action" the elements of all in one row. torch has no entropy of a squashed normal.
SPLIT = [4, 2, 3, 2, 2, 3, 3]


def five(given):
    move, flags, hot, loc, scale, near, wide = given.split(SPLIT, -1)
    parameters = {"move": {"logits": move.log_softmax(-1)}, "flags": {"logits": flags},
                  "hot": {"logits": hot.log_softmax(-1)}, "free": {"loc": loc, "scale": scale},
                  "near": {"loc": near, "scale": wide, "low": LOW, "high": HIGH}}
    of = {"move": Categorical, "flags": Bernoulli, "hot": OneHotCategorical, "free": Normal, "near": TruncatedNormal}
    nested = TensorDict({name: TensorDict({key: value.expand(ROWS, -1) for key, value in lists.items()}, [ROWS])
                         for name, lists in parameters.items()}, [ROWS])
    return CompositeDistribution(nested, distribution_map=of, name_map={name: f"action_{name}" for name in of})


def given():
    out = [normal(ROWS, 4) * 2, normal(ROWS, 2), normal(ROWS, 3), normal(ROWS, 2), powers(-1, 0.5, ROWS, 2),
           LOW + (HIGH - LOW) * uniform(ROWS, 3), powers(-1, 0.5, ROWS, 3)]
    return single(torch.cat(out, -1))


now, other = given(), given()
chosen = {"move": torch.randint(4, (ROWS,), generator=generator), "flags": (uniform(ROWS, 2) < 0.5).to(torch.float64),
          "hot": torch.nn.functional.one_hot(torch.randint(3, (ROWS,), generator=generator), 3).to(torch.float64),
          "free": single(2 * normal(ROWS, 2)), "near": single(LOW + (HIGH - LOW) * uniform(ROWS, 3))}
sample = TensorDict({f"action_{name}": action for name, action in chosen.items()}, [ROWS])


def by_head(values):
    return [values[f"action_{name}_log_prob"] for name in chosen]


def apart(values):
    """Of elements that are each their own the sum."""
    return torch.stack([value if value.dim() == 1 else value.sum(-1) for value in values], -1)


def members(distribution):
    return [distribution.dists[f"action_{name}"] for name in chosen]


def divergences(before, now):
    return [integral(p, q) if isinstance(p, TruncatedNormal) else kl_divergence(p, q)
            for p, q in zip(members(before), members(now), strict=True)]


all_five = five(now)
with set_composite_lp_aggregate(False):
    lists = apart(by_head(all_five.log_prob(sample)))
with set_composite_lp_aggregate(True):
    together = all_five.log_prob(sample)
case("composite", parameters=now, other_parameters=other,
     action=torch.cat([action.reshape(ROWS, -1) for action in chosen.values()], -1), log_prob=together,
     log_prob_by_head=lists, entropy=apart([each.entropy() for each in members(all_five)]).sum(-1),
     kl=apart(divergences(five(other), all_five)).sum(-1),
     mode=torch.cat([each.mode.reshape(ROWS, -1) for each in members(all_five)], -1))

logits, other = single(2 * normal(ROWS, 5)), single(2 * normal(ROWS, 5))
compare("ordinal", exactly(Categorical, Ordinal(logits).logits), exactly(Categorical, Ordinal(other).logits),
        dict(logits=logits), dict(logits=other), torch.randint(5, (ROWS,), generator=generator), kl=divergence, mean=False)
