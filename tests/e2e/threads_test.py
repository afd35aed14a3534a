#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Same manifest, seed and build: the same bytes, however many threads there are."""

import unittest

from runs import MANIFESTS, WIDE, RunCase, without_time


class Threads(RunCase):
    def test_the_number_of_threads_changes_nothing(self):
        one = self.run_to("one", *WIDE, "--set", "run.threads=1")
        two = self.run_to("two", *WIDE, "--set", "run.threads=2")
        three = self.run_to("three", *WIDE, "--set", "run.threads=3")
        self.assert_same_run(one, two)
        self.assert_same_run(one, three)

    def test_products_and_loops_that_threads_share_are_the_same(self):
        large = ["--set", "policy.qvalue.hidden=[128, 128]", "--set", "train.minibatch=200", "--set", "run.total_frames=2000"]
        one = self.run_to("one", *large, "--set", "run.threads=1")
        self.assert_same_run(one, self.run_to("two", *large, "--set", "run.threads=2"))
        self.assert_same_run(one, self.run_to("three", *large, "--set", "run.threads=3"))

    def test_scans_over_many_lanes_are_the_same(self):
        wide = ["--set", "env.lanes=128", "--set", "train.batch=4_096", "--set", "train.minibatch=4_096", "--set", "train.epochs=1"]
        for threads in (1, 2, 3):
            self.train(MANIFESTS / "ppo_gru_cartpole.toml", "--out", self.folder / str(threads), *wide, "--set", "run.total_frames=8_192",
                       "--set", "eval.every_frames=0", "--set", f"run.threads={threads}")  # fmt: skip
        self.assert_same_run(self.folder / "1", self.folder / "2")
        self.assert_same_run(self.folder / "1", self.folder / "3")

    def test_a_run_twice_is_the_same(self):
        first = self.run_to("first")
        self.assert_same_run(first, self.run_to("second"))
        again = self.folder / "again"
        self.train(first / "manifest.lock.toml", "--out", again)  # the resolved manifest is the same run
        self.assert_same_run(first, again)
        self.assertEqual((again / "manifest.lock.toml").read_text(), (first / "manifest.lock.toml").read_text())

    def test_another_seed_is_another_run(self):
        first = self.run_to("first", "--seed", "1")
        other = self.run_to("other", "--seed", "2")
        self.assertNotEqual(without_time(first), without_time(other))
        parameters = "checkpoints/last/parameters.safetensors"
        self.assertNotEqual((first / parameters).read_bytes(), (other / parameters).read_bytes())


if __name__ == "__main__":
    unittest.main()
