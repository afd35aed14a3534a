#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that collect while they learn: the same bytes whichever thread is faster, resumed or not, and other bytes than those
of a run that collects first."""

import unittest

from runs import RunCase, parameters, records

ASYNC = ["--set", 'collector.kind="async"']


class Async(RunCase):
    SHARED = {"async": ASYNC, "in_turn": []}

    def test_threads_change_no_byte(self):
        for threads in (1, 2, 3):
            with self.subTest(threads=threads):
                out = self.folder / f"threads_{threads}"
                self.train(self.manifest, "--out", out, *ASYNC, "--set", f"run.threads={threads}")
                self.assert_same_run(self.shared / "async", out)

    def test_rounds_learn_from_the_frames_before_them(self):
        self.assertNotEqual(parameters(self.shared / "async"), parameters(self.shared / "in_turn"))
        # the frames of the first round that may learn are learnt from in the next one
        self.assertEqual(self.results["async"]["frames"], self.results["in_turn"]["frames"])
        self.assertEqual(self.results["async"]["updates"], self.results["in_turn"]["updates"] - 4)

    def test_a_resumed_run_is_the_same(self):
        out = self.folder / "out"
        self.train(self.manifest, "--out", out, *ASYNC, "--set", "run.total_frames=5_000")
        self.train("--resume", out, "--set", "run.total_frames=10_000")
        whole = self.folder / "whole"
        self.train(self.manifest, "--out", whole, *ASYNC)
        self.assertEqual(parameters(out), parameters(whole))

    def test_the_policy_is_no_older_than_max_lag(self):
        lags = {None: 4, 3: 3, 1: 1}  # a round has four updates
        for most, lag in lags.items():
            out = self.shared / "async"
            if most is not None:
                out = self.folder / f"most_{most}"
                self.train(self.manifest, "--out", out, *ASYNC, "--set", f"collector.max_lag={most}")
                self.assertNotEqual(parameters(out), parameters(self.shared / "async"))
            with self.subTest(max_lag=most):
                self.assertEqual([record["rollout/policy_lag"] for record in records(out)][-1], lag)
        self.assertNotIn("rollout/policy_lag", records(self.shared / "in_turn")[-1])

    def test_a_bound_that_is_not_reached_changes_nothing(self):
        out = self.folder / "far"
        self.train(self.manifest, "--out", out, *ASYNC, "--set", "collector.max_lag=4")
        self.assertEqual(parameters(out), parameters(self.shared / "async"))

    def test_explain_says_what_goes_on_beside_what(self):
        said = " ".join(self.tenon("explain", self.manifest, *ASYNC, "--set", "collector.max_lag=2", "--set", "collector.record=kept.frames",
                                   "--set", "eval.background=true").stdout.split())
        for sentence in ("After each 2 updates both threads wait for each other, and the newest parameters act.",
                         "kept.frames when the run ends.", "Evaluations are played on another thread with a copy of the weights;"):
            self.assertIn(sentence, said)

    def test_what_cannot_be_is_told(self):
        done = self.tenon("validate", self.manifest, *ASYNC, "--set", "buffer.capacity=128", code=2)
        self.assertIn("buffer.capacity has room for no more than two rounds, which are 128 frames", done.stderr)
        done = self.tenon("validate", self.manifest, *ASYNC, "--set", "parameter_noise.sigma=0.1", code=2)
        self.assertIn('[parameter_noise] chooses the parameters that act, but collector.kind = "async" has the parameters of the last round act', done.stderr)


if __name__ == "__main__":
    unittest.main()
