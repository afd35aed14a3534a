#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An actor that learns from what a model of the world imagines: on both executors the same until rounding parts them,
the same bytes twice, and resumed as if it had never stopped."""

import unittest
from pathlib import Path

from runs import RunCase, records

MANIFEST = Path(__file__).resolve().parents[2] / "manifests" / "dream_pendulum.toml"
SHORT = [word for text in ("run.total_frames=1_600", "train.start_frames=400", "objective.horizon=4", "eval.every_frames=800",
                           "eval.episodes=2", "log.every_frames=200", "train.minibatch=128") for word in ("--set", text)]
COMPILED = ["--set", 'run.executor="compiled"']


class Imagination(RunCase):
    def dreamt(self, name, *words):
        self.train(MANIFEST, "--out", self.folder / name, *SHORT, *words)
        return self.folder / name

    def test_the_executors_agree(self):
        words = ["--set", 'run.dtype="float64"', "--set", "run.total_frames=1_000"]
        compiled = records(self.dreamt("compiled", *words, *COMPILED))
        reference = records(self.dreamt("reference", *words, "--set", 'run.executor="reference"'))
        self.assertGreater(len(reference), 4)
        for left, right in zip(reference, compiled, strict=True):
            for key in ("train/loss", "train/imagined_return", "train/grad_norm/actor", "rollout/ep_rew_mean"):
                if left[key] is not None:
                    self.assertAlmostEqual(left[key], right[key], delta=1e-6 * max(1, abs(left[key])), msg=key)

    def test_a_resumed_run_is_one_that_never_stopped(self):
        whole = self.dreamt("whole", *COMPILED)
        self.assert_same_run(whole, self.dreamt("again", *COMPILED))
        out = self.dreamt("resumed", *COMPILED, "--set", "run.total_frames=800")
        self.train("--resume", out, "--set", "run.total_frames=1_600")
        self.assert_same_run(whole, out)


if __name__ == "__main__":
    unittest.main()
