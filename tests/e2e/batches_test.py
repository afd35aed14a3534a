#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs without a buffer: the same bytes whatever the threads, and after any kill -9; controls and functions on whole
batches do what they say."""

import os
import random
import unittest
from pathlib import Path

from runs import RunCase, records

FIXTURES = Path(os.environ["FIXTURES"])

SMALL = """[run]
executor = "compiled"
total_frames = 6_000

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"
hidden = [32]

[policy.value]
plugin = "mlp/value"
hidden = [32]

[objective]
plugin = "batches/fit"

[train]
batch = 256
minibatch = 48
epochs = 3

[optimiser]
lr = 3e-3

[eval]
every_frames = 1_000
episodes = 4

[log]
every_frames = 256

[checkpoint]
every_frames = 1_000
"""
PPO = ["--set", "objective.plugin=ppo/ppo"]
WAYS = {
    "frames": ["--set", "train.accumulate=2"],
    "lanes": ["--set", "train.shuffle=lanes", "--set", "train.minibatch=64", "--set", "train.prepare=epoch"],
    "slices": ["--set", "train.shuffle=slices", "--set", "train.slice_length=8"],
}


class Batches(RunCase):
    def setUp(self):
        super().setUp()
        self.manifest = self.put("batches.toml", SMALL)

    def run_with(self, name, *words):
        out = self.folder / name
        return out, self.train(self.manifest, "--plugins", FIXTURES, "--out", out, *words)

    def test_the_number_of_threads_changes_nothing(self):
        wide = ["--set", "env.lanes=128", "--set", "train.batch=512"]
        one, _ = self.run_with("one", *PPO, *wide, "--set", "run.threads=1")
        two, _ = self.run_with("two", *PPO, *wide, "--set", "run.threads=2")
        self.assert_same_run(one, two)

    def test_killed_and_resumed_it_is_the_same_run(self):
        draw = random.Random(5)
        for way, words in WAYS.items():
            for objective in ([], PPO):
                with self.subTest(way, objective=objective):
                    name = f"{way}-{len(objective)}"
                    whole, result = self.run_with(f"whole-{name}", *words, *objective)
                    out = self.folder / f"killed-{name}"
                    self.tenon("run", self.manifest, "--quiet", "--plugins", FIXTURES, "--out", out, *words,
                               *objective, code=-9, die_at=f"write:*/metrics.jsonl:{draw.randrange(4, 21)}")
                    resumed = self.train("--resume", out, "--plugins", FIXTURES)
                    self.assert_same_run(whole, out)
                    self.assertEqual(resumed["updates"], result["updates"])

    def test_rounds_of_whole_episodes_are_the_same_after_a_kill(self):
        manifest = self.put("episodes.toml", SMALL.replace("batch = 256\n", "episodes = 16\n"))
        whole, result = self.folder / "whole", self.train(manifest, "--plugins", FIXTURES, "--out", self.folder / "whole")
        out = self.folder / "killed"
        self.tenon("run", manifest, "--quiet", "--plugins", FIXTURES, "--out", out, "--set", "run.threads=2", code=-9,
                   die_at="write:*/metrics.jsonl:9")
        resumed = self.train("--resume", out, "--plugins", FIXTURES)
        self.assert_same_run(whole, out)
        self.assertEqual((resumed["frames"], resumed["updates"]), (result["frames"], result["updates"]))

    def test_resumed_normalised_values_go_on_with_their_moments(self):
        for kind in ("running", "popart"):
            with self.subTest(kind):
                words = [*PPO, "--set", f"objective.value_normalisation={kind}", "--set", "objective.value_decay=0.9"]
                whole, _ = self.same_in_halves(self.manifest, 3_072, "--plugins", FIXTURES, *words, name=kind)
                record = records(whole)[-1]
                self.assertGreater(record["train/value_mean"], 5)  # rewards of 1 a step
                self.assertGreater(record["train/value_deviation"], 1)

    def test_without_the_buffers_frames_it_resumes_all_the_same(self):
        words = ["--set", "checkpoint.buffer=false"]
        whole, _ = self.run_with("whole", *words)
        out = self.folder / "killed"
        self.tenon("run", self.manifest, "--quiet", "--plugins", FIXTURES, "--out", out, *words, code=-9,
                   die_at="write:*/metrics.jsonl:17")
        resumed = self.train("--resume", out, "--plugins", FIXTURES)
        self.assert_same_run(whole, out)
        self.assertNotIn("buffer", resumed["notices"])

    def test_functions_on_whole_batches_report_and_keep_states(self):
        out, result = self.run_with("out")
        rounds = records(out)
        # A record a round; conclude counts those before it in a state.
        self.assertEqual([r["train/batches"] for r in rounds], list(range(len(rounds))))
        self.assertEqual([r["train/reward"] for r in rounds], [1.0] * len(rounds))  # CartPole's, always
        self.assertEqual(result["updates"], 3 * 6 * len(rounds))
        self.assertTrue(all(r["train/grad_norm/update"] > 0 for r in rounds))

    def test_stop_epochs_leaves_one_update_a_batch(self):
        out, result = self.run_with("out", "--set", "objective.stop=1")
        self.assertEqual(result["updates"], len(records(out)))

    def test_skip_update_leaves_the_weights(self):
        parameters = "checkpoints/last/parameters.safetensors"
        short, _ = self.run_with("short", "--set", "run.total_frames=256", "--set", "objective.skip=1")
        out, result = self.run_with("out", "--set", "objective.skip=1", "--set", "run.total_frames=512")
        self.assertEqual(result["updates"], 36)
        record = records(out)[-1]
        self.assertIsNone(record["train/loss/value"])
        self.assertIsNone(record["train/grad_norm/update"])
        moved, _ = self.run_with("moved", "--set", "run.total_frames=256")
        self.assertNotEqual((moved / parameters).read_bytes(), (short / parameters).read_bytes())
        one, two = ((run / parameters).read_bytes() for run in (short, out))
        # Only what conclude counts has changed.
        self.assertEqual(len(one), len(two))
        self.assertLessEqual(sum(a != b for a, b in zip(one, two)), 4)

    def test_the_resolved_manifest_is_the_same_run(self):
        first, _ = self.run_with("first", *WAYS["slices"])
        again = self.folder / "again"
        self.train(first / "manifest.lock.toml", "--plugins", FIXTURES, "--out", again)
        self.assert_same_run(first, again)


if __name__ == "__main__":
    unittest.main()
