#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Layers that draw or remember: noisy ones explore by themselves, dropout is for updates, and what spectral
normalisation keeps is resumed like all else."""

import unittest

from runs import RunCase

NOISY = """[run]
executor = "compiled"
total_frames = 12_000

[env]
plugin = "small/GridWorld-v0"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [32]
activation = "relu"
noisy = true

[buffer]
plugin = "replay/uniform"
capacity = 10_000

[objective]
plugin = "dqn/dqn"

[train]
batch = 64
updates_per_batch = 16
minibatch = 64
start_frames = 500

[optimiser]
lr = 2e-3

[target]
every = 100

[checkpoint]
every_frames = 6_000

[eval]
every_frames = 6_000
episodes = 4
"""

SAC = """[run]
executor = "compiled"
total_frames = 600

[env]
plugin = "classic/Pendulum-v1"
lanes = 2

[policy.actor]
plugin = "mlp/tanh_normal"
hidden = [8]
dropout = 0.1

[policy.qvalue]
plugin = "mlp/q"
hidden = [8, 8]
count = 2
norm = "layer"
dropout = 0.01
spectral_norm = "hidden"

[buffer]
plugin = "replay/uniform"
capacity = 1_000

[objective]
plugin = "sac/sac"

[train]
minibatch = 32
start_frames = 100

[target]
kind = "soft"
tau = 0.01

[checkpoint]
every_frames = 300

[eval]
every_frames = 300
"""


class Networks(RunCase):
    patience = 240

    def test_noisy_layers_find_the_way_without_exploration(self):
        manifest = self.put("noisy.toml", NOISY)
        _, result = self.same_in_halves(manifest, 6_000)
        print(f"gridworld: {result['frames']} frames, return {result['eval_return_mean']}")
        self.assertGreater(result["eval_return_mean"], 0.9)
        acting = self.tenon("explain", manifest, "--graph", "act").stdout
        self.assertEqual(acting.count("random_normal"), 4)
        self.assertNotIn("random_normal", self.tenon("explain", manifest, "--graph", "mode").stdout)

    def test_dropout_and_spectral_norm_are_resumed(self):
        manifest = self.put("sac.toml", SAC)
        self.same_in_halves(manifest, 300)
        for program in ("act", "mode"):
            self.assertNotIn("random_uniform", self.tenon("explain", manifest, "--graph", program).stdout)
        self.assertIn("dropout0", self.tenon("explain", manifest, "--graph", "update").stdout)


if __name__ == "__main__":
    unittest.main()
