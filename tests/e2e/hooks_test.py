#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hooks in whole runs: they move a learning rate and an option of a wrapper, end a run, and have metrics; a resumed run equals
one that never stopped, bit for bit; a hook that fails leaves what was saved."""

import json
import unittest

from runs import FIXTURES, SMALL, RunCase, ppo_tables, records

PPO = """[run]
executor = "compiled"
total_frames = 5_120

[env]
plugin = "classic/CartPole-v1"
lanes = 8

[[env.wrappers]]
plugin = "wrap/random_time_limit"
most = 20
""" + ppo_tables(16) + """
[train]
batch = 256
minibatch = 64
epochs = 2

[optimiser]
lr = 1e-3

[eval]
every_frames = 1_280
episodes = 4

[log]
every_frames = 256

[checkpoint]
every_frames = 1_024

[[hooks]]
plugin = "hooks/kl_adaptive_lr"
target = 0.002
"""
CURRICULUM = """
[[hooks]]
plugin = "hooks/curriculum"
option = "env.wrappers.0.most"
from = 20.0
to = 60.0
step = 5.0
column = "next.truncated"
harder_above = 0.3
episodes = 20

[[hooks]]
plugin = "hooks/quantiles"

[[hooks]]
plugin = "hooks/quantiles"
name = "angles"
column = "observation"

[[hooks]]
plugin = "hooks/reward_log"

[[hooks]]
plugin = "hooks/histogram"
name = "counts"
bins = 2
low = 0.0
high = 2.0

[[hooks]]
plugin = "hooks/network_histogram"
name = "slopes"
network = "actor"
bins = 2
every = 8
"""
PLATEAU = """
[[hooks]]
plugin = "hooks/early_stop"
patience = 2
"""


class Hooks(RunCase):
    def column(self, run, key):
        return [record[key] for record in records(run)]

    def test_a_learning_rate_that_follows_the_divergence_resumes_bit_for_bit(self):
        run, _ = self.same_in_halves(self.put("ppo.toml", PPO), 2_560)
        rates = self.column(run, "train/learning_rate")
        divergences = self.column(run, "train/approx_kl")
        self.assertGreater(len(set(rates)), 3)
        self.assertTrue(all(1e-5 <= rate <= 1e-2 for rate in rates), rates)
        still = self.put("still.toml", PPO.replace("target = 0.002", "least = 1e-3\nmost = 1e-3"))
        self.train(still, "--out", self.folder / "still")
        self.assertEqual(set(self.column(self.folder / "still", "train/learning_rate")), {1e-3})
        self.assertNotEqual(divergences, self.column(self.folder / "still", "train/approx_kl"))

    def test_how_often_a_run_records_does_not_change_it(self):
        manifest = self.put("ppo.toml", PPO)
        for name, every in (("often", 256), ("seldom", 1_280)):
            self.train(manifest, "--out", self.folder / name, "--set", f"log.every_frames={every}")
        often, seldom = ({record["frames"]: record["train/learning_rate"] for record in records(self.folder / name)}
                         for name in ("often", "seldom"))
        self.assertEqual({frames: often[frames] for frames in seldom}, seldom)
        self.assertLess(len(seldom), len(often))

    def test_a_run_that_is_measured_is_the_same(self):
        manifest = self.put("several.toml", PPO + CURRICULUM)
        for name, words in (("plain", []), ("measured", ["--profile"])):
            self.train(manifest, "--out", self.folder / name, *words)
        self.assertIn("time/env", records(self.folder / "measured")[-1])
        self.assert_same_run(self.folder / "plain", self.folder / "measured")

    def test_several_hooks_see_frames_and_resume_bit_for_bit(self):
        run, _ = self.same_in_halves(self.put("several.toml", PPO + CURRICULUM), 2_560)
        last = records(run)[-1]
        self.assertGreater(last["live/env.wrappers.0.most"], 20)
        self.assertGreaterEqual(last["hook/success_rate"], 0)
        self.assertEqual([last[f"hook/{name}"] for name in ("min", "median", "max", "reward_mean", "reward_std")],
                         [1, 1, 1, 1, 0])
        self.assertLess(last["hook/angles/min"], last["hook/angles/median"])
        self.assertLess(last["hook/angles/median"], last["hook/angles/max"])
        self.assertEqual([last[f"hook/counts/{bin}"] for bin in ("below/0", "bin/0", "bin/1", "above/2")], [0, 0, 256, 0])
        slopes = [last[f"hook/slopes/{bin}"] for bin in ("below/-0.1", "bin/0", "bin/1", "above/0.1")]
        self.assertEqual(sum(slopes), 4 * 16 + 16 + 16 * 2 + 2)  # all parameters of the actor
        self.assertGreater(min(slopes[1:3]), 0)
        self.assertIn("hook/angles/p25", (run / "metrics.csv").read_text().splitlines()[0])
        scored = json.loads(self.tenon("eval", run, "--episodes", 4, "--json").stdout.splitlines()[-1])
        self.assertGreater(scored["return_mean"], 0)

    def test_a_plateau_ends_a_run_with_success_and_a_sentence(self):
        manifest = self.put("plateau.toml", SMALL + PLATEAU)
        whole, half = self.folder / "whole", self.folder / "half"
        done = self.tenon("run", manifest, "--out", whole)
        self.assertIn("hooks/early_stop ends the run: eval/mean_reward has not become better in 2 looks\n", done.stdout)
        self.assertLess(self.last_frames(whole), 10_000)
        last = records(whole)[-1]
        self.assertEqual((last["hook/since_best"], last["hook/best"]), (2, max(
            record["eval/mean_reward"] for record in records(whole) if record["eval/mean_reward"] is not None)))
        before_last = self.last_frames(whole) // 1_000 * 1_000 - 1_000
        self.train(manifest, "--out", half, "--set", f"run.total_frames={before_last}")
        self.train("--resume", half, "--set", "run.total_frames=10_000")
        self.assert_same_run(whole, half)
        again = self.train("--resume", half)
        self.assertEqual(again["frames"], self.last_frames(whole))
        self.assertIn("hooks/early_stop ends the run", again["notices"])

    def test_a_hook_that_fails_leaves_what_was_saved(self):
        watch = SMALL + f'[plugins]\nsearch = ["{FIXTURES}"]\n' + '[[hooks]]\nplugin = "faulty/watch"\nfault = "FAULT"\n'
        good = self.put("good.toml", watch.replace("FAULT", "none"))
        self.train(good, "--out", self.folder / "good", "--set", "run.total_frames=2_000")
        done = self.tenon("run", self.put("bad.toml", watch.replace("FAULT", "nan_metric")), "--out", self.folder / "bad", "--quiet",
                          "--set", "train.start_frames=3_000", code=3)
        self.assertIn("faulty/watch: its metric 'hook/seen' would be nan", done.stderr)
        self.assertIn("the run is saved up to frame 3008", done.stderr)
        self.assertTrue(all(value is None or isinstance(value, (int, float))
                            for record in records(self.folder / "bad") for value in record.values()))

    def test_a_hook_of_a_run_of_its_own_is_described(self):
        told = self.tenon("explain", self.put("several.toml", PPO + CURRICULUM)).stdout
        for text in ("hooks/kl_adaptive_lr", "train/approx_kl", "optimiser.lr", "hook/angles/p25", "next.truncated"):
            self.assertIn(text, told)


if __name__ == "__main__":
    unittest.main()
