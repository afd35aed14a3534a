#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recurrent policies: what an update recomputes over sequences is what acting has stored, across episodes and batches;
resumed runs go on with what was remembered, and so do those that learn from sequences of a buffer."""

import unittest

from runs import MANIFESTS, RunCase, ppo_tables, records

SMALL = """[run]
executor = "compiled"
total_frames = 2_048
dtype = "float64"

[env]
plugin = "classic/CartPole-v1"
lanes = 8
""" + ppo_tables(16, 'cell = "gru"\ncell_size = 8\n', 'cell = "lstm"\ncell_size = 8\n') + """
[train]
batch = 256
minibatch = 256
shuffle = "lanes"

[optimiser]
lr = 3e-3

[eval]
every_frames = 1_024
episodes = 4

[log]
every_frames = 256

[checkpoint]
every_frames = 512
"""

# Two critics and an actor that read one trunk, which remembers: in TMaze a sign says which way to turn one step later.
TRUNK = """[run]
executor = "compiled"
total_frames = 3_000

[env]
plugin = "small/TMaze-v0"
length = 1
lanes = 8

[policy.trunk]
plugin = "mlp/features"
stage = "critic"
hidden = [16]
cell = "gru"
cell_size = 16
size = 16

[policy.actor]
plugin = "mlp/categorical"
in = ["trunk.features"]
hidden = [16]

[policy.qvalue]
plugin = "mlp/q_value"
in = ["trunk.features"]
hidden = [16]
count = 2

[buffer]
plugin = "replay/slices"
capacity = 4_000
length = 4
strict = false

[objective]
plugin = "sac/discrete"
gamma = 0.9
alpha = 0.1
learn_alpha = false

[train]
batch = 16
updates_per_batch = 4
minibatch = 128
start_frames = 400

[optimiser]
lr = 3e-3

[target]
kind = "soft"
tau = 0.05

[eval]
every_frames = 3_000
episodes = 40
"""


class Recurrent(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("recurrent.toml", SMALL)

    def run_with(self, name, *words):
        out = self.folder / name
        self.train(self.manifest, "--out", out, *words)
        return out

    def test_before_the_first_step_the_ratio_is_one(self):
        # one update a batch: the log-probs that it recomputes are those of acting, whatever episodes began in between
        for way in (["--set", "train.shuffle=lanes"], ["--set", "train.shuffle=slices", "--set", "train.slice_length=8"]):
            out = self.run_with(way[1].split("=")[1], *way)
            for record in records(out):
                self.assertLess(abs(record["train/approx_kl"]), 1e-14)
                self.assertGreater(record["train/entropy"], 0.1)

    def test_the_memory_matters(self):
        out = self.run_with("epochs", "--set", "train.epochs=4")
        self.assertGreater(max(record["train/approx_kl"] for record in records(out)), 1e-6)

    def test_resumed_it_is_the_same_run(self):
        self.same_in_halves(self.manifest, 1_024)

    def test_burn_in_is_learnt_after_and_resumed(self):
        slices = ["--set", "train.shuffle=slices", "--set", "train.slice_length=8"]
        whole, _ = self.same_in_halves(self.manifest, 1_024, *slices, "--set", "train.burn_in=3")
        plain = self.run_with("plain", *slices)
        self.assertNotEqual([r["train/loss"] for r in records(plain)], [r["train/loss"] for r in records(whole)])

    def test_sequences_by_priority_with_burn_in_are_resumed_and_begin_with_the_stored_memory(self):
        manifest = MANIFESTS / "r2d2_tmaze.toml"
        few = ["--set", "run.total_frames=6_000", "--set", "eval.every_frames=2_000", "--set", "checkpoint.every_frames=1_000",
               "--set", "remove=schedule", "--set", "exploration.epsilon=0.5"]
        whole, _ = self.same_in_halves(manifest, 4_000, *few)
        losses = [record["train/loss"] for record in records(whole)]
        for other in ('train.initial_memory="zero"', "train.burn_in=0", "buffer.eta=0.0"):
            name = other.split("=")[0]
            self.train(manifest, "--out", self.folder / name, *few, "--set", other)
            self.assertNotEqual([record["train/loss"] for record in records(self.folder / name)], losses, other)

    def test_single_frames_are_refused_with_what_to_do(self):
        done = self.tenon("run", self.manifest, "--out", self.folder / "frames", "--set", "train.shuffle=frames", code=2)
        self.assertIn("remembers 'gru_hidden', but this run learns from single frames", done.stderr)
        self.assertIn('train.shuffle = "lanes"', done.stderr)
        self.assertEqual(done.stderr.count("error: "), done.stderr.count("this run learns from single frames"), done.stderr)

    def test_critics_that_read_a_trunk_that_remembers_learn(self):
        manifest = self.put("trunk.toml", TRUNK)
        self.assertGreater(self.train(manifest, "--out", self.folder / "remembers")["eval_return_mean"], 3.9)  # of 4
        blind = self.train(manifest, "--out", self.folder / "blind", "--set", "policy.trunk.cell=none")
        self.assertLess(blind["eval_return_mean"], 3)  # half of its turns are wrong: 1.95

    def test_an_ensemble_is_refused_with_what_to_do(self):
        done = self.tenon("validate", self.manifest, "--set", "policy.value.count=2", code=2)
        self.assertIn("an ensemble cannot remember 'lstm_hidden'; let its members read a trunk", done.stderr)


if __name__ == "__main__":
    unittest.main()
