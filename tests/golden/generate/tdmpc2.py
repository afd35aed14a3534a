# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for tdmpc2/tdmpc2 with the networks of tdmpc: losses and gradients by torch in float64, as plain loops over
steps and critics. TorchRL has no TD-MPC2.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/tdmpc2.py > tests/golden/tdmpc2.txt
"""

import torch
from torch.nn.functional import layer_norm, linear, log_softmax, mish, softmax

STEPS, LANES, CRITICS = 3, 4, 3
OBSERVATION, ACTION, LATENT, GROUP, HIDDEN, BINS = 3, 2, 6, 3, 5, 7
LOW, HIGH = torch.tensor([-2.0, -0.5], dtype=torch.float64), torch.tensor([1.0, 3.0], dtype=torch.float64)
GAMMA, RHO, CONSISTENCY, REWARD, VALUE, ENTROPY, RATE = 0.9, 0.6, 2.0, 0.3, 0.7, 0.05, 0.5
torch.set_default_dtype(torch.float64)
generator = torch.Generator().manual_seed(5)


def normal(*shape):
    return torch.randn(shape, generator=generator)


def uniform(*shape):
    return torch.rand(shape, generator=generator)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def dense(parameters, name, inputs, width):
    parameters[f"{name}.weight"], parameters[f"{name}.bias"] = 0.7 * normal(width, inputs), 0.5 * normal(width)


def norm(parameters, name, width):
    parameters[f"{name}.norm.weight"], parameters[f"{name}.norm.bias"] = 1 + 0.3 * normal(width), 0.3 * normal(width)


def hidden(parameters, name, inputs):
    for i in range(2):
        dense(parameters, f"{name}.{i}", inputs if i == 0 else HIDDEN, HIDDEN)
        norm(parameters, f"{name}.{i}", HIDDEN)


def layers(p, name, x):
    for i in range(2):
        x = linear(x, p[f"{name}.{i}.weight"], p[f"{name}.{i}.bias"])
        x = mish(layer_norm(x, (HIDDEN,), p[f"{name}.{i}.norm.weight"], p[f"{name}.{i}.norm.bias"]))
    return x


def out(p, name, x):
    return linear(x, p[f"{name}.weight"], p[f"{name}.bias"])


def simplex(p, name, x):
    x = layer_norm(out(p, name, x), (LATENT,), p[f"{name}.norm.weight"], p[f"{name}.norm.bias"])
    return softmax(x.reshape(*x.shape[:-1], LATENT // GROUP, GROUP), -1).reshape(x.shape)


world, actor = {}, {}
hidden(world, "encoder", OBSERVATION)
dense(world, "encoder.out", HIDDEN, LATENT)
norm(world, "encoder.out", LATENT)
hidden(world, "step", LATENT + ACTION)
dense(world, "step.out", HIDDEN, LATENT)
norm(world, "step.out", LATENT)
hidden(world, "reward", LATENT + ACTION)
dense(world, "reward.out", HIDDEN, BINS)
hidden(actor, "body", LATENT)
dense(actor, "out", HIDDEN, 2 * ACTION)


def critic():
    parameters = {}
    hidden(parameters, "body", LATENT + ACTION)
    dense(parameters, "out", HIDDEN, BINS)
    parameters["out.bias"] -= 0.5 * (torch.arange(BINS) - BINS // 2).abs()
    return parameters


critics, targets = [critic() for _ in range(CRITICS)], [critic() for _ in range(CRITICS)]
for parameters in (world, actor, *critics):
    for each in parameters.values():
        each.requires_grad_()


def seen(action):
    return (action - LOW) / ((HIGH - LOW) / 2) - 1


PLACES = torch.linspace(-10, 10, BINS)


def symlog(x):
    return x.sign() * x.abs().log1p()


def decoded(logits):
    x = (softmax(logits, -1) * PLACES).sum(-1)
    return x.sign() * x.abs().expm1()


def error(logits, number):
    place = (symlog(number).clamp(-10, 10) + 10) / (20 / (BINS - 1))
    below = place.floor().long().clamp(max=BINS - 2)
    part = place - below
    logs = log_softmax(logits, -1)
    return -((1 - part) * logs.gather(-1, below[..., None])[..., 0] + part * logs.gather(-1, below[..., None] + 1)[..., 0])


def logits_of(p, state, action):
    return out(p, "out", layers(p, "body", torch.cat([state, seen(action)], -1)))


def drawn_action(state, noise):
    both = out(actor, "out", layers(actor, "body", state))
    loc, scale = both[..., :ACTION], (6 * (both[..., ACTION:].tanh() + 1) - 10).exp()
    pre = loc + scale * noise
    half = (HIGH - LOW) / 2
    slope = torch.log(1 - pre.tanh() ** 2) + half.log()
    density = torch.distributions.Normal(loc, scale).log_prob(pre) - slope
    return LOW + (pre.tanh() + 1) * half, density.sum(-1)


observation, following, reward = normal(STEPS, LANES, OBSERVATION), normal(STEPS, LANES, OBSERVATION), 3 * normal(STEPS, LANES)
action = LOW + uniform(STEPS, LANES, ACTION) * (HIGH - LOW)
terminated = uniform(STEPS, LANES) < 0.3
draws = {"actor.sample/random_normal": normal(STEPS, LANES, ACTION), "actor.sample#1/random_normal": normal(STEPS, LANES, ACTION),
         "target_pair": uniform(CRITICS), "actor_pair": uniform(CRITICS)}


def pair(label):
    return draws[label].argsort()[:2].tolist()


def encoded(x):
    return simplex(world, "encoder.out", layers(world, "encoder", x))


state, states, consistency, rewards = encoded(observation[0]), [], 0, 0
observed = encoded(following).detach()
for t in range(STEPS):
    states.append(state)
    both = torch.cat([state, seen(action[t])], -1)
    rewards = rewards + RHO**t * error(out(world, "reward.out", layers(world, "reward", both)), reward[t]).mean() / STEPS
    state = simplex(world, "step.out", layers(world, "step", both))
    consistency = consistency + RHO**t * ((state - observed[t]) ** 2).mean() / STEPS
states = torch.stack(states)
weight = RHO ** torch.arange(STEPS)[:, None]
next_action, _ = drawn_action(observed, draws["actor.sample/random_normal"])
least = torch.stack([decoded(logits_of(targets[i], observed, next_action)) for i in pair("target_pair")]).amin(0)
target = (reward + GAMMA * (1 - terminated.double()) * least).detach()
value = sum((weight * error(logits_of(p, states, action), target)).mean() for p in critics) / CRITICS
taken, log_prob = drawn_action(states.detach(), draws["actor.sample#1/random_normal"])
gains = sum(decoded(logits_of(critics[i], states.detach(), taken)) for i in pair("actor_pair")) / 2
spread = gains[0].detach().quantile(0.95) - gains[0].detach().quantile(0.05)
scale = 1 + RATE * (spread.clamp_min(1) - 1)
losses = {"model.consistency": CONSISTENCY * consistency, "model.reward": REWARD * rewards, "model.value": VALUE * value,
          "actor.gain": (weight * (ENTROPY * log_prob - gains / scale)).mean()}

print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/tdmpc2.py > tests/golden/tdmpc2.txt")
print("case tdmpc2")
for key, values in {"observation": observation, "next.observation": following, "action": action, "next.reward": reward,
                    "next.terminated": terminated}.items():
    line(key, values)
for stream, values in draws.items():
    line(f"draw/tdmpc2/tdmpc2.update/{stream}", values)
for key, values in losses.items():
    line(f"loss/{key}", values.detach())
line("metric/value_scale", scale)
for role, stage, members in (("world", "model", [world]), ("actor", "actor", [actor]), ("qvalue", "model", critics)):
    total = sum(each for key, each in losses.items() if key.startswith(stage))
    for key in members[0]:
        parameters = [member[key] for member in members]
        gradients = torch.autograd.grad(total, parameters, retain_graph=True)
        line(f"{role}/{key}", torch.stack([each.detach() for each in parameters]))
        line(f"gradient/{role}/{key}", torch.stack(gradients))
for key in targets[0]:
    line(f"target/qvalue/{key}", torch.stack([member[key] for member in targets]))
print("end")
