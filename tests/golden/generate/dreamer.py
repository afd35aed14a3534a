# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for dreamer/dreamer with world/rssm, mlp/tanh_normal and mlp/value: losses and gradients by torch in
float64, with torch.nn.GRUCell and torch.distributions, written as plain loops over steps.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/dreamer.py > tests/golden/dreamer.txt
"""

import torch
from torch.distributions import AffineTransform, Independent, Normal, TanhTransform, TransformedDistribution, kl_divergence
from torch.nn.functional import mse_loss, silu, softplus

STEPS, LANES, HORIZON = 4, 3, 5
OBSERVATION, ACTION, MEMORY, BELIEF, HIDDEN = 3, 2, 5, 2, 6
LOW, HIGH = torch.tensor([-2.0, -0.5], dtype=torch.float64), torch.tensor([1.0, 3.0], dtype=torch.float64)
GAMMA, LAMBDA, FREE, BALANCE, DIVERGENCE, ENTROPY, LEAST = 0.9, 0.8, 0.2, 0.7, 0.5, 0.03, 0.1
torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(7)


def normal(*shape):
    return torch.randn(shape, generator=generator)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


class Layers(torch.nn.Module):
    """A hidden layer and an output, under the names of the plugin's parameters."""

    def __init__(self, prefix, inputs, width):
        super().__init__()
        self.prefix = prefix
        sizes = [(inputs, HIDDEN), (HIDDEN, width)] if width else [(inputs, HIDDEN)]
        self.layers = torch.nn.ModuleList([torch.nn.Linear(*each) for each in sizes])
        for parameter in self.parameters():
            parameter.data = 0.5 * normal(*parameter.shape)

    def forward(self, *x):
        out = silu(self.layers[0](torch.cat(x, -1)))
        return self.layers[1](out) if len(self.layers) == 2 else out

    def named(self):
        return {f"{self.prefix}{i}.{name}": parameter for i, layer in enumerate(self.layers) for name, parameter in layer.named_parameters()}


FEATURES = MEMORY + BELIEF
posterior_of = Layers("posterior.", MEMORY + OBSERVATION, 2 * BELIEF)
prior_of = Layers("prior.", MEMORY, 2 * BELIEF)
mover = Layers("mover.", BELIEF + ACTION, 0)
reward_of = Layers("reward.", FEATURES + ACTION, 1)
continues_of = Layers("continues.", FEATURES + ACTION, 1)
decoder = Layers("decoder.", FEATURES, OBSERVATION)
gru = torch.nn.GRUCell(HIDDEN, MEMORY)
for parameter in gru.parameters():
    parameter.data = 0.5 * normal(*parameter.shape)
actor_of, value_of, target_of = Layers("", FEATURES, 2 * ACTION), Layers("", FEATURES, 1), Layers("", FEATURES, 1)
world = {f"gru.{name}": parameter for name, parameter in gru.named_parameters()}
for part in (posterior_of, prior_of, mover, reward_of, continues_of, decoder):
    world |= part.named()


def belief(out):
    return Independent(Normal(out[..., :BELIEF], softplus(out[..., BELIEF:]) + LEAST), 1)


def fixed(distribution):
    return Independent(Normal(distribution.mean.detach(), distribution.stddev.detach()), 1)


def moved_on(memory, drawn, action):
    x = mover(drawn, action)
    return gru(x.reshape(-1, HIDDEN), memory.reshape(-1, MEMORY)).reshape(memory.shape)


def drawn_from(distribution, noise):
    return distribution.mean + distribution.stddev * noise


observation, action, reward = normal(STEPS, LANES, OBSERVATION), normal(STEPS, LANES, ACTION), normal(STEPS, LANES)
terminated = torch.rand((STEPS, LANES), generator=generator) < 0.3
begins = torch.rand((STEPS, LANES), generator=generator) < 0.3
begins[0] = torch.tensor([True, False, False])
stored = normal(LANES, MEMORY)
noise = {"world.step/posterior": normal(STEPS, LANES, BELIEF), "world.imagine/prior": normal(HORIZON, STEPS, LANES, BELIEF),
         "actor.sample/random_normal": normal(HORIZON, STEPS, LANES, ACTION)}

memory, features, priors, posteriors = stored, [], [], []
for t in range(STEPS):
    memory = torch.where(begins[t][:, None], torch.zeros(()), memory)
    posterior = belief(posterior_of(memory, observation[t]))
    drawn = drawn_from(posterior, noise["world.step/posterior"][t])
    features.append(torch.cat([memory, drawn], -1))
    priors.append(belief(prior_of(memory)))
    posteriors.append(posterior)
    memory = moved_on(memory, drawn, action[t])
features = torch.stack(features)
floor = torch.tensor(FREE)
to_prior = torch.stack([kl_divergence(fixed(q), p) for q, p in zip(posteriors, priors)]).maximum(floor)
to_posterior = torch.stack([kl_divergence(q, fixed(p)) for q, p in zip(posteriors, priors)]).maximum(floor)
losses = {
    "world.observation": 0.5 * mse_loss(decoder(features), observation, reduction="none").sum(-1).mean(),
    "world.reward": 0.5 * mse_loss(reward_of(features, action)[..., 0], reward),
    "world.continues": torch.nn.functional.binary_cross_entropy_with_logits(continues_of(features, action)[..., 0],
                                                                           1 - terminated.double()),
    "world.divergence": DIVERGENCE * (BALANCE * to_prior + (1 - BALANCE) * to_posterior).mean(),
}

now, states, following, rewards, discounts, log_probs = features.detach(), [], [], [], [], []
for k in range(HORIZON):
    out = actor_of(now)
    scale = (softplus(out[..., ACTION:] + torch.tensor(0.99).expm1().log()) + 0.01).maximum(torch.tensor(1e-4))
    half = (HIGH - LOW) / 2
    squash = [TanhTransform(cache_size=1), AffineTransform(LOW + half, half, event_dim=0)]
    policy = Independent(TransformedDistribution(Normal(out[..., :ACTION], scale), squash), 1)
    chosen = out[..., :ACTION] + scale * noise["actor.sample/random_normal"][k]
    for transform in squash:
        chosen = transform(chosen)
    log_probs.append(policy.log_prob(chosen))
    states.append(now)
    rewards.append(reward_of(now, chosen)[..., 0])
    discounts.append(GAMMA * torch.sigmoid(continues_of(now, chosen)[..., 0]))
    memory = moved_on(now[..., :MEMORY], now[..., MEMORY:], chosen)
    now = torch.cat([memory, drawn_from(belief(prior_of(memory)), noise["world.imagine/prior"][k])], -1)
    following.append(now)
values = [target_of(state)[..., 0] for state in following]
returns, ahead = [], values[-1]
for k in reversed(range(HORIZON)):
    ahead = rewards[k] + discounts[k] * ((1 - LAMBDA) * values[k] + LAMBDA * ahead)
    returns.insert(0, ahead)
weights = torch.stack([torch.ones_like(discounts[0]), *discounts[:-1]]).cumprod(0).detach()
returns = torch.stack(returns)
guesses = torch.stack([value_of(state.detach())[..., 0] for state in states])
losses |= {"actor.gain": -(weights * returns).mean(), "actor.entropy": ENTROPY * (weights * torch.stack(log_probs)).mean(),
           "critic.value": 0.5 * (weights * (guesses - returns.detach()) ** 2).mean()}

print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/dreamer.py > tests/golden/dreamer.txt")
print("case dreamer")
for key, value in {"observation": observation, "action": action, "next.reward": reward, "next.terminated": terminated,
                   "is_init": begins,
                   # only the first step's is read
                   "world.memory": torch.cat([stored[None], torch.full((STEPS - 1, LANES, MEMORY), 7.0)])}.items():
    line(key, value)
for stream, value in noise.items():
    line(f"draw/dreamer/dreamer.update/{stream}", value)
for name, value in losses.items():
    line(f"loss/{name}", value.detach())
for role, stage, parameters in (("world", "world", world), ("actor", "actor", actor_of.named()), ("value", "critic", value_of.named())):
    total = sum(value for name, value in losses.items() if name.startswith(f"{stage}."))
    gradients = torch.autograd.grad(total, list(parameters.values()), retain_graph=True)
    for (name, parameter), gradient in zip(parameters.items(), gradients):
        line(f"{role}/{name}", parameter.detach())
        line(f"gradient/{role}/{name}", gradient)
for name, parameter in target_of.named().items():
    line(f"target/value/{name}", parameter.detach())
print("end")
