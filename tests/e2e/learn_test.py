#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example learns: a CartPole that balances for 475 steps and more, on 100 fresh episodes."""

import json
import unittest
from pathlib import Path

from runs import RunCase

MANIFEST = Path(__file__).resolve().parents[2] / "manifests" / "dqn_cartpole.toml"


class Learn(RunCase):
    def test_dqn_learns_cartpole(self):
        out = self.folder / "out"
        result = self.train(MANIFEST, "--out", out, "--set", "run.stop_at_return=475")
        self.assertGreaterEqual(result["best_return_mean"], 475)
        self.assertLessEqual(result["frames"], 150_000)
        words = ["eval", out, "--checkpoint", "best", "--episodes", 100, "--seed", 12345, "--json"]
        score = json.loads(self.tenon(*words).stdout)
        print(f"{result['frames']} frames in {result['seconds']:.1f} s, return {score['return_mean']} of 100 episodes")
        self.assertEqual(score["episodes"], 100)
        self.assertGreaterEqual(score["return_mean"], 475)


if __name__ == "__main__":
    unittest.main()
