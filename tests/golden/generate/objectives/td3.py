# SPDX-License-Identifier: Apache-2.0
"""TD3Loss of TorchRL against td3/td3. Made with torchrl 0.14.1, tensordict 0.14.3, torch 2.13.0 (CPU).
Command, from the root of the repository:
    python tests/golden/generate/objectives/td3.py > tests/golden/objectives/td3.txt
"""

from smoothed import run_case
from peer import header
from torchrl.objectives import TD3Loss


def run(name, seed, **settings):
    run_case(name, "td3/td3", TD3Loss, seed, lambda out: {"actor.gain": out["loss_actor"]}, **settings)


header("td3")
run("plain", 1)
run("much_noise", 2, noise=0.8, clip=0.6, distance="l2", activation="relu")
run("three_critics", 3, critics=3, component="mlp/deterministic")
run("l1", 5, distance="l1")
run("actor_rests", 4, delay=2, updates=1)
