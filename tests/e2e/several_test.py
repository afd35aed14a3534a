#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with several objectives and several buffers: they learn one after the other, each at its pace, and are the same
when they are interrupted."""

import json
import unittest

from runs import RunCase, records

# An objective that learns from the collected batch beside the frames of another run, and one from the batch alone.
IMITATES = """[run]
executor = "compiled"
total_frames = 4_096

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.actor]
plugin = "mlp/categorical"
hidden = [16]

[policy.value]
plugin = "mlp/value"
hidden = [16]

[policy.discriminator]
plugin = "mlp/value"
hidden = [16]

[buffer.expert]
plugin = "replay/uniform"
collects = false
init = COLLECTED

[[objective]]
name = "discriminator_of"
plugin = "gail/discriminator"
batches = { expert = "expert" }
epochs = 1
every = 2

[[objective]]
name = "ppo"
plugin = "ppo/ppo"
minibatch = 128

[train]
batch = 256
minibatch = 50
epochs = 2

[optimiser.discriminator_of]
lr = 1e-2

[log]
every_frames = 256

[checkpoint]
every_frames = 1_024
"""

# Rows of two buffers in fixed shares.
MIXES = """[run]
executor = "compiled"
total_frames = 2_048

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [16]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer.offline]
plugin = "replay/uniform"
collects = false
init = COLLECTED

[buffer.online]
plugin = "replay/uniform"
capacity = 1_000

[buffer.both]
mix = { offline = 0.25, online = 0.75 }

[objective]
plugin = "dqn/dqn"
buffer = "both"

[train]
batch = 64
updates_per_batch = 2
minibatch = 30
start_frames = 64

[log]
every_frames = 256

[checkpoint]
every_frames = 512
"""


class Several(RunCase):
    SHARED = {"collected": ["--set", "run.total_frames=2_000"]}

    def with_frames(self, name, text):
        return self.put(name, text.replace("COLLECTED", json.dumps(str(self.shared / "collected"))))

    def test_objectives_take_turns_and_go_on_after_a_pause(self):
        manifest = self.with_frames("imitates.toml", IMITATES)
        whole, result = self.same_in_halves(manifest, 2_048)
        # 16 rounds: 8 of 6 minibatches (256 rows of at most 50), and 16 of 2 epochs of 2 minibatches.
        self.assertEqual(result["updates"], 8 * 6 + 16 * 2 * 2)
        last = records(whole)[-1]
        for name in ("train/discriminator_of/loss/own", "train/discriminator_of/own_right", "train/ppo/loss/policy"):
            self.assertIn(name, last)
        rights = [record["train/discriminator_of/own_right"] for record in records(whole)]
        self.assertGreater(rights[-2], 0.5)

    def test_a_mixture_goes_on_after_a_pause(self):
        manifest = self.with_frames("mixes.toml", MIXES)
        _, result = self.same_in_halves(manifest, 1_024)
        self.assertEqual(result["updates"], 2 * 32)

    def test_explain_says_who_learns_from_what(self):
        told = self.tenon("explain", self.with_frames("imitates.toml", IMITATES)).stdout
        self.assertIn("in the first of 2 rounds discriminator_of learns from them, 1 time in minibatches of 50 rows, each with "
                      "as many of expert, then ppo learns from them, 2 times in minibatches of 128 rows", " ".join(told.split()))
        self.assertIn("discriminator_of.update", told)
        self.assertRegex(told, r"\nexpert +replay/uniform +\d+ of .*collected\n")
        told = self.tenon("explain", self.with_frames("mixes.toml", MIXES)).stdout
        self.assertRegex(told, r"\nonline +replay/uniform +the newest 1000 of the run\n")
        self.assertRegex(told, r"\nboth +- +0.25 of offline, 0.75 of online\n")
        self.assertIn("makes 2 updates of 30 rows from both", " ".join(told.split()))

    def test_the_columns_of_another_batch_are_under_its_name(self):
        manifest = self.with_frames("imitates.toml", IMITATES.replace("{ expert =", "{ wrong ="))
        told = self.tenon("validate", manifest, code=2).stderr
        self.assertIn("there is no column 'expert.observation' in the update program; it is of a second batch", told)

    def test_frames_that_do_not_fit_are_told(self):
        manifest = self.with_frames("imitates.toml", IMITATES)
        told = self.tenon("validate", manifest, "--set", 'env.plugin="classic/Acrobot-v1"', code=2).stderr
        self.assertIn("have the column 'observation' as float32 [4], but this run has float32 [6]", told)


if __name__ == "__main__":
    unittest.main()
