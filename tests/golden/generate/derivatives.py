# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for gradient/1: torch's double backward in float64. Of each body, the penalty (|slope| - 1)^2 on the
slope of its answer by its input, the slope, and the penalty's gradient by every parameter; of a network, the square of the
product of its loss's Hessian and a direction, with the gradient of that by the network and the direction.

Made with torch 2.13.0 (CPU). Command, from the root of the repository:
    python tests/golden/generate/derivatives.py > tests/golden/derivatives.txt
"""

import torch
import torch.nn.functional as F

ROWS, SIZE = 6, 32
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.detach().reshape(-1)))


def attention(x, p):
    rows = x.reshape(-1, 8, 4)
    q, k, v = ((rows @ p[name].T).reshape(-1, 8, 2, 2).transpose(1, 2) for name in ("query", "key", "value"))
    ahead = torch.ones(8, 8, dtype=torch.bool).triu(1)  # torch's own attention has no second derivative
    weights = torch.softmax((q @ k.mT / 2**0.5).masked_fill(ahead, -torch.inf), -1)
    return torch.tanh((weights @ v).transpose(1, 2).reshape(-1, SIZE)) @ p["last"].T


def rows(x, p):
    h = x @ p["first"].T + p["bias"]
    off = h - h.mean(0)
    return torch.tanh(off / torch.sqrt((off**2).mean(0) + 0.1)) @ p["last"].T


def steps(x, p):
    h = x @ p["first"].T + p["bias"]
    state = h
    for _ in range(3):
        state = torch.tanh(state @ p["again"].T + 0.5 * h)
    return state @ p["last"].T


def image(x):
    return x.reshape(-1, 2, 4, 4)


def affine(x, p):
    return F.linear(x, p["first"], p["bias"])


FIRST = {"first": (5, SIZE), "bias": (5,), "last": (1, 5)}
BODIES = {
    "tanh": (FIRST, lambda x, p: torch.tanh(affine(x, p)) @ p["last"].T),
    "relu": (FIRST, lambda x, p: torch.relu(affine(x, p)) @ p["last"].T),
    "norm": ({**FIRST, "norm.weight": (5,), "norm.bias": (5,)},
             lambda x, p: torch.tanh(F.layer_norm(affine(x, p), (5,), p["norm.weight"], p["norm.bias"])) @ p["last"].T),
    "softmax": ({"first": (5, SIZE), "bias": (5,), "other": (5, SIZE)},
                lambda x, p: (torch.softmax(affine(x, p), -1) * torch.tanh(x @ p["other"].T)).sum(-1)),
    "conv": ({"filter": (3, 2, 3, 3), "bias": (3,), "last": (1, 12)}, lambda x, p: torch.tanh(
        F.conv2d(image(x), p["filter"], p["bias"], stride=2, padding=1)).flatten(1) @ p["last"].T),
    "transposed": ({"filter": (2, 3, 3, 3), "bias": (3,), "last": (1, 147)}, lambda x, p: torch.tanh(
        F.conv_transpose2d(image(x), p["filter"], p["bias"], stride=2, padding=1)).flatten(1) @ p["last"].T),
    "pool": ({"filter": (3, 2, 3, 3), "last": (1, 12)}, lambda x, p: F.max_pool2d(
        F.softplus(F.conv2d(image(x), p["filter"], padding=1)) ** 2, 2).flatten(1) @ p["last"].T),
    "attention": ({"query": (4, 4), "key": (4, 4), "value": (4, 4), "last": (1, SIZE)}, attention),
    "rows": (FIRST, rows),
    "steps": ({**FIRST, "again": (5, 5)}, steps),
}


def penalty(name, seed):
    torch.manual_seed(seed)
    shapes, answer = BODIES[name]
    parameters = {key: (0.4 * torch.randn(shape)).requires_grad_() for key, shape in shapes.items()}
    x = torch.randn(ROWS, SIZE).requires_grad_()
    slope, = torch.autograd.grad(answer(x, parameters).sum(), x, create_graph=True)
    loss = ((torch.linalg.norm(slope, dim=-1) - 1) ** 2).mean()
    gradients = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
    print("case", name)
    line("x", x)
    line("loss", loss)
    line("slope", slope)
    for (key, value), gradient in zip(parameters.items(), gradients):
        line(key, value)
        line("gradient." + key, torch.zeros_like(value) if gradient is None else gradient)
    print("end")


def curvature(seed):
    torch.manual_seed(seed)
    sizes = [SIZE, 5, 5, 1]
    theta = [0.4 * torch.randn(shape) for a, b in zip(sizes, sizes[1:]) for shape in ((b, a), (b,))]
    theta = [value.requires_grad_() for value in theta]
    direction = torch.randn(sum(value.numel() for value in theta)).requires_grad_()
    x = torch.randn(ROWS, SIZE)
    h = x
    for layer in range(3):
        h = F.linear(h if layer == 0 else torch.tanh(h), theta[2 * layer], theta[2 * layer + 1])
    loss = ((h[:, 0] - x.sum(-1)) ** 2).mean()
    slope = torch.cat([g.flatten() for g in torch.autograd.grad(loss, theta, create_graph=True)])
    product = torch.cat([g.flatten() for g in torch.autograd.grad((slope * direction).sum(), theta, create_graph=True)])
    total = (product**2).sum()
    gradients = torch.autograd.grad(total, [*theta, direction])
    print("case curvature")
    line("x", x)
    line("loss", total)
    for i, (value, gradient) in enumerate(zip(theta, gradients)):
        key = f"{i // 2}." + ("weight", "bias")[i % 2]
        line(key, value)
        line("gradient." + key, gradient)
    line("direction", direction)
    line("gradient.direction", gradients[-1])
    print("end")


print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/derivatives.py > tests/golden/derivatives.txt")
for number, body in enumerate(BODIES):
    penalty(body, number + 1)
curvature(100)
