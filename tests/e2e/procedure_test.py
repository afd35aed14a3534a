#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whose policy is a procedure: nothing learns, libtorch is never mapped, commands answer at once."""

import json
import os
import resource
import signal
import unittest
from pathlib import Path

from runs import SANITIZED, TENON, RunCase, without_time

RANDOM = """
[run]
total_frames = 10_000

[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.anything]
plugin = "random/random"

[log]
every_frames = 1_000
"""

EVALUATED = RANDOM + "\n[eval]\nevery_frames = 2_000\nepisodes = 20\n"

# Of the processor, which a busy machine does not stretch; mapping libtorch alone takes longer.
AT_ONCE_S = 2.0 if SANITIZED else 0.1


class Procedure(RunCase):
    def setUp(self):
        super().setUp()
        self.random = self.put("random.toml", RANDOM)
        self.evaluated = self.put("evaluated.toml", EVALUATED)

    def test_without_evaluation(self):
        out = self.folder / "out"
        result = self.train(self.random, "--out", out)
        self.assertEqual((result["frames"], result["updates"], result["eval_return_mean"]), (10240, 0, None))
        records, _ = without_time(out)
        self.assertEqual(len(records), 10)
        # Random play of CartPole balances the pole for about 22 steps.
        self.assertAlmostEqual(dict(records[-1])["rollout/ep_rew_mean"], 22, delta=5)

    def test_with_evaluation(self):
        out = self.folder / "out"
        result = self.train(self.evaluated, "--out", out)
        self.assertEqual(result["eval_episodes"], 20)
        self.assertAlmostEqual(result["eval_return_mean"], 22, delta=10)
        score = json.loads(self.tenon("eval", out, "--checkpoint", "last", "--episodes", 20, "--json").stdout)
        self.assertEqual(score["return_mean"], result["eval_return_mean"])

    def test_threads_kills_and_resumes_change_nothing(self):
        wide = ["--set", "env.lanes=160", "--set", "train.batch=320"]
        whole, out = self.folder / "whole", self.folder / "out"
        self.train(self.evaluated, "--out", whole, *wide)
        self.tenon("run", self.evaluated, "--quiet", "--out", out, *wide, "--set", "run.threads=2", code=-9,
                   die_at="write:*/state.bin:2")
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_libtorch_is_not_mapped(self):
        out = self.folder / "out"
        process = self.start("run", self.evaluated, "--quiet", "--out", out, "--set", "run.total_frames=1_000_000_000")
        self.wait_for(process, self.has_records(out, 5))
        maps = Path(f"/proc/{process.pid}/maps").read_text()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(), 0)
        self.assertIn("/random.so", maps)
        self.assertNotIn("libtorch", maps)
        self.assertNotIn("libtenon_torch", maps)

    def test_learning_maps_it(self):
        out = self.folder / "out"
        process = self.start("run", self.manifest, "--quiet", "--out", out, "--set", "run.executor=auto", "--set",
                             "run.total_frames=100_000_000")
        self.wait_for(process, self.has_records(out, 1))
        self.assertIn("libtenon_torch", Path(f"/proc/{process.pid}/maps").read_text())

    def test_commands_answer_at_once(self):
        plugin = Path(TENON).parent.parent / "lib" / "tenon" / "plugins" / "mlp.so"
        for words in (["list"], ["inspect", plugin], ["validate", self.manifest], ["validate", self.random],
                      ["run", self.random, "--quiet", "--set", "run.total_frames=256"]):
            with self.subTest(words[0]):
                times = []
                for _ in range(5):
                    before = resource.getrusage(resource.RUSAGE_CHILDREN)
                    self.tenon(*words)
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                print(f"{words[0]} {os.path.basename(words[-1])}: {min(times) * 1000:.1f} ms")
                self.assertLess(min(times), AT_ONCE_S)


if __name__ == "__main__":
    unittest.main()
