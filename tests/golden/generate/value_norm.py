# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for sdk/include/tenon/value_norm.hpp: a value network of one hidden layer in plain torch and
float64, whose outputs count in deviations from a running mean of its targets. Three batches, each of which moves the
moments, rewrites the last layer (popart: van Hasselt et al. 2016, arXiv:1602.07714, eq. 7 and 8) and is learnt from by
one step of SGD on the mean squared distance in those deviations.

The moments are those of TorchRL's RunningValueNorm (value_decay 1) and, as every batch has as many rows, of its
PopArtValueNorm (below 1), which is asserted; TorchRL rewrites no layer. The last case has percentiles in place of moments.

Made with torch 2.13.0 (CPU), torchrl 0.14.1. Command, from the root of the repository:
    python tests/golden/generate/value_norm.py > tests/golden/value_norm.txt
"""

import torch
from torchrl.modules.value_norm import PercentileValueNorm, PopArtValueNorm, RunningValueNorm

ROWS, INPUTS, HIDDEN, BATCHES, RATE = 20, 3, 6, 3, 0.1
torch.set_default_dtype(torch.float64)


def line(key, values):
    print(key, *(f"{float(value):.17g}" for value in values.reshape(-1)))


def run(name, seed, popart, decay):
    generator = torch.Generator().manual_seed(seed)
    randn = lambda *shape: torch.randn(shape, generator=generator)
    net = {
        "0.weight": 0.5 * randn(HIDDEN, INPUTS),
        "0.bias": 0.1 * randn(HIDDEN),
        "1.weight": 0.5 * randn(1, HIDDEN),
        "1.bias": 0.1 * randn(1),
    }
    peer = RunningValueNorm(epsilon=1e-8) if decay == 1 else PopArtValueNorm(beta=decay, epsilon=1e-12)
    mean, square, count = torch.zeros(()), torch.ones(()), torch.zeros(())
    var = torch.ones(())
    put_out = lambda x: (torch.tanh(x @ net["0.weight"].T + net["0.bias"]) @ net["1.weight"].T + net["1.bias"])[:, 0]
    print("case", name)
    line("decay", torch.tensor(decay))
    for key, value in net.items():
        line(key, value)
    for batch in range(BATCHES):
        observation = randn(ROWS, INPUTS)
        target = 100.0 * (batch + 1) + 7.0 * randn(ROWS)
        before = mean + var.sqrt() * put_out(observation)
        # weighted sums over all rows so far
        old = decay * count
        total = old + ROWS
        new_mean = (old * mean + target.sum()) / total
        new_square = (old * square + (target**2).sum()) / total if batch else (target**2).mean()
        new_var = new_square - new_mean**2
        peer.update(target[:, None])
        assert torch.allclose(peer.denormalize(torch.zeros(1)), new_mean)
        assert torch.allclose(peer.scale(), new_var.sqrt())
        if popart:
            net["1.bias"] = (var.sqrt() * net["1.bias"] + mean - new_mean) / new_var.sqrt()
            net["1.weight"] = net["1.weight"] * (var / new_var).sqrt()
            assert torch.allclose(new_mean + new_var.sqrt() * put_out(observation), before)
        mean, square, var, count = new_mean, new_square, new_var, total
        for parameter in net.values():
            parameter.requires_grad_()
        error = put_out(observation) - (target - mean) / var.sqrt()
        loss = (error**2).mean()
        loss.backward()
        put = lambda key, values: line(f"{key}.{batch}", values)
        put("observation", observation)
        put("target", target)
        put("advantage", target - before.detach())
        put("mean", mean)
        put("variance", var)
        put("rewritten", torch.cat([net["1.weight"].detach()[0], net["1.bias"].detach()]))
        put("loss", loss.detach())
        with torch.no_grad():
            net = {key: (value - RATE * value.grad).detach() for key, value in net.items()}
        put("learnt", torch.cat([value.reshape(-1) for value in net.values()]))
    print("end")


def run_percentiles(seed, rate):
    """Values are divided by the range of percentiles: PercentileValueNorm of TorchRL, and steps of SGD on its normalised targets."""
    generator = torch.Generator().manual_seed(seed)
    randn = lambda *shape: torch.randn(shape, generator=generator)
    net = {"0.weight": 0.5 * randn(HIDDEN, INPUTS), "0.bias": 0.1 * randn(HIDDEN), "1.weight": 0.5 * randn(1, HIDDEN), "1.bias": 0.1 * randn(1)}  # fmt: skip
    put_out = lambda x: (torch.tanh(x @ net["0.weight"].T + net["0.bias"]) @ net["1.weight"].T + net["1.bias"])[:, 0]
    peer = PercentileValueNorm(rate=rate)
    print("case percentiles")
    line("decay", torch.tensor(1.0))
    line("rate", torch.tensor(rate))
    for key, value in net.items():
        line(key, value)
    for batch in range(BATCHES):
        observation, target = randn(ROWS, INPUTS), 100.0 * batch + 20.0 * randn(ROWS)
        before = peer.denormalize(put_out(observation)[:, None])[:, 0]
        peer.update(target[:, None])
        for parameter in net.values():
            parameter.requires_grad_()
        loss = ((put_out(observation) - peer.normalize(target[:, None])[:, 0]) ** 2).mean()
        loss.backward()
        put = lambda key, values: line(f"{key}.{batch}", values)
        put("observation", observation)
        put("target", target)
        put("advantage", target - before.detach())
        put("low", peer.low)
        put("high", peer.high)
        put("loss", loss.detach())
        with torch.no_grad():
            net = {key: (value - RATE * value.grad).detach() for key, value in net.items()}
        put("learnt", torch.cat([value.reshape(-1) for value in net.values()]))
    print("end")


print("# torch", torch.__version__.split("+")[0])
print("# made by: python tests/golden/generate/value_norm.py > tests/golden/value_norm.txt")
run("running", 1, popart=False, decay=1.0)
run("popart", 2, popart=True, decay=1.0)
run("popart_forgets", 3, popart=True, decay=0.7)
run_percentiles(4, rate=0.3)
