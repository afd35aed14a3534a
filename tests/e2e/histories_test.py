#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Policies with histories: what an update recomputes over sequences is what acting has stored, across episodes, slices and
batches; storage has one row a frame; resumed runs go on with the rows before."""

import json
import unittest

from runs import FIXTURES as FOLDER, MANIFESTS, RunCase, ppo_tables, records

FIXTURES = f'[plugins]\nsearch = ["{FOLDER}"]\n'

# The window is longer than a slice, and longer than a batch has steps.
SMALL = FIXTURES + """
[run]
executor = "compiled"
total_frames = 2_048
dtype = "float64"

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.trunk]
plugin = "histories/attention"
window = 24
size = 8
out = ["features"]
""" + ppo_tables(8, 'in = ["features"]\n', 'in = ["features"]\n') + """
[train]
batch = 128
minibatch = 128
shuffle = "lanes"

[optimiser]
lr = 3e-3

[eval]
every_frames = 1_024
episodes = 4

[log]
every_frames = 128

[checkpoint]
every_frames = 512
"""

# Sequences from a buffer that soon overwrites its frames. Nothing is learnt, so that what acting has stored stays true.
SAMPLED = FIXTURES + """
[run]
executor = "compiled"
total_frames = 1_536
dtype = "float64"

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.trunk]
plugin = "histories/attention"
window = 24
size = 8
out = ["features"]

[policy.actor]
plugin = "mlp/categorical"
hidden = []
in = ["features"]

[buffer]
plugin = "replay/slices"
length = 8
capacity = 256

[objective]
plugin = "histories/gap"

[train]
batch = 64
minibatch = 128
start_frames = 0

[optimiser]
lr = 1e-30

[log]
every_frames = 64

[checkpoint]
every_frames = 512
"""

TMAZE = FIXTURES + """
[run]
executor = "compiled"
total_frames = 50_000

[env]
plugin = "small/TMaze-v0"
length = 6
lanes = 16

[policy.trunk]
plugin = "histories/attention"
window = 10
size = 32
out = ["features"]
""" + ppo_tables(32, 'in = ["features"]\n', 'in = ["features"]\n') + """
[train]
batch = 1024
minibatch = 256
epochs = 4
shuffle = "lanes"

[optimiser]
lr = 2e-3

[eval]
every_frames = 50_000
episodes = 40
"""

COMPILED = ["--set", "run.executor=compiled"]  # mapping libtorch takes long
# A trunk in place of the cells of shipped manifests.
TRUNK = ["--plugins", FOLDER, "--set", "policy.trunk.plugin=histories/attention", "--set", 'policy.trunk.out=["features"]']
OF_GROUP = [*TRUNK, "--set", "policy.trunk.group=agents", "--set", "policy.trunk.window=4", "--set", "run.dtype=float64"]
for network in ("actor", "value"):
    OF_GROUP += ["--set", f'policy.{network}.in=["features"]', "--set", f"policy.{network}.cell=none"]


class Histories(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("history.toml", SMALL)

    def run_with(self, name, *words):
        out = self.folder / name
        self.train(self.manifest, "--out", out, *words)
        return out

    def test_before_the_first_step_the_ratio_is_one(self):
        for name, *words in (["lanes"], ["slices", "train.shuffle=slices", "train.slice_length=8"], ["window", "policy.trunk.window=2"],
                             ["one", "policy.trunk.window=1"], ["reference", "run.executor=reference"]):
            out = self.run_with(name, *(part for word in words for part in ("--set", word)))
            for record in records(out):
                self.assertLess(abs(record["train/approx_kl"]), 1e-14, name)
                self.assertGreater(record["train/entropy"], 0.1)

    def test_rows_before_a_sequence_matter(self):
        out = self.run_with("zero", "--set", 'train.initial_memory="zero"')
        self.assertGreater(max(record["train/approx_kl"] for record in records(out)), 1e-7)

    def gaps_of(self, name, *words):
        self.train(self.put("sampled.toml", SAMPLED), "--out", self.folder / name, *(part for word in words for part in ("--set", word)))
        return [record["train/gap"] for record in records(self.folder / name) if record.get("train/gap") is not None]

    def test_sequences_of_a_buffer_begin_with_what_acting_has_stored(self):
        for name, *words in (["slices"], ["prioritised", 'buffer.plugin="replay/prioritised_slices"'], ["async", 'collector.kind="async"'],
                             ["processes", 'collector.kind="processes"'],
                             ["short", "policy.trunk.window=2"], ["prefetch", "buffer.prefetch=true", "train.updates_per_batch=2"]):
            gaps = self.gaps_of(name, *words)
            self.assertGreater(len(gaps), 10, name)
            self.assertLess(max(gaps), 1e-13, name)
        self.assertGreater(max(self.gaps_of("zero", 'train.initial_memory="zero"')), 1e-7)
        self.assertGreater(max(self.gaps_of("disk", 'buffer.storage="mmap"', f'buffer.path="{self.folder / "ring"}"')), 1e-7)

    def test_sampled_resumed_it_is_the_same_run(self):
        self.same_in_halves(self.put("sampled.toml", SAMPLED), 1_024)

    def test_resumed_it_is_the_same_run(self):
        self.same_in_halves(self.manifest, 1_024)

    def test_what_was_six_steps_ago_is_remembered(self):
        manifest = self.put("tmaze.toml", TMAZE)
        self.assertGreater(self.train(manifest, "--out", self.folder / "long")["eval_return_mean"], 3.9)  # of 4
        short = self.train(manifest, "--out", self.folder / "short", "--set", "policy.trunk.window=3")
        self.assertLess(short["eval_return_mean"], 3)  # half of its turns are wrong: 1.95

    def test_agents_that_come_and_go_have_what_they_saw_since_they_came(self):
        recall = MANIFESTS / "ippo_recall.toml"
        once = ["--set", "train.epochs=1", "--set", "train.minibatch=1024", "--set", "run.total_frames=2_048", "--set", "log.every_frames=1_024"]
        for executor in ("compiled", "reference"):
            out = self.folder / executor
            self.train(recall, "--out", out, *OF_GROUP, *once, "--set", f"run.executor={executor}")
            for record in records(out):
                self.assertLess(abs(record.get("train/approx_kl", 0)), 1e-14)
        self.same_in_halves(recall, 1_024, *OF_GROUP, *once, *COMPILED, "--set", "checkpoint.every_frames=1_024", "--set", "eval.every_frames=1_024")
        words = [*OF_GROUP, *COMPILED, "--set", "run.dtype=float32", "--set", "run.total_frames=16_000"]
        self.assertGreater(self.train(recall, "--out", self.folder / "recalls", *words)["eval_return_mean"], 24)

    def test_replay_stores_rows_unless_sequences_begin_without_them(self):
        words = [*TRUNK, "--set", 'policy.qvalue.in=["features"]', "--set", "policy.qvalue.cell=none", "--set", "run.total_frames=3_840",
                 "--set", "remove=schedule", "--set", "exploration.epsilon=0.5", "--set", "eval.every_frames=1_280",
                 "--set", "checkpoint.every_frames=1_280"]  # fmt: skip
        self.same_in_halves(MANIFESTS / "r2d2_tmaze.toml", 2_560, *words, *COMPILED)
        for memory, is_stored in (("stored", True), ("zero", False)):
            told = json.loads(self.tenon("explain", MANIFESTS / "r2d2_tmaze.toml", *words, "--set", f"train.initial_memory={memory}", "--json").stdout)
            self.assertEqual("trunk.keys0" in {column["key"] for column in told["columns"]}, is_stored)

    def test_a_frame_has_one_row(self):
        told = json.loads(self.tenon("explain", self.manifest, "--json").stdout)
        shapes = {column["key"]: column["shape"] for column in told["columns"] if column["key"].startswith("trunk.")}
        rows = {f"trunk.{what}{layer}": [8] for what in ("keys", "values") for layer in range(2)}
        self.assertEqual(shapes, {**rows, "trunk.episode_step": []})
        self.assertLess(told["memory"]["minibatch"], 128 * 600)  # earlier rows are of sequences, of which there are 8


if __name__ == "__main__":
    unittest.main()
