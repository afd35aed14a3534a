#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples learn: a CartPole that balances for 475 steps and more, on 100 fresh episodes; the shortest way through
a gridworld with action masks; a pendulum that stands; balls caught by their picture."""

import json
import resource
import unittest
from pathlib import Path

from runs import SANITIZED, RunCase

MANIFESTS = Path(__file__).resolve().parents[2] / "manifests"
LONGEST_S = 300 if SANITIZED else 60


class Learn(RunCase):
    patience = 2 * LONGEST_S + 120  # on a busy machine; what counts is the time of the processor

    def balances(self, manifest, seed):
        out = self.folder / "out"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = self.train(MANIFESTS / manifest, "--out", out, "--seed", seed, "--set", "run.stop_at_return=475")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, LONGEST_S)
        self.assertGreaterEqual(result["best_return_mean"], 475)
        self.assertLessEqual(result["frames"], 150_000)
        words = ["eval", out, "--checkpoint", "best", "--episodes", 100, "--seed", 12345, "--json"]
        score = json.loads(self.tenon(*words).stdout)
        print(f"{result['frames']} frames in {result['seconds']:.1f} s, return {score['return_mean']} of 100 episodes")
        self.assertEqual(score["episodes"], 100)
        self.assertGreaterEqual(score["return_mean"], 475)

    def test_dqn_finds_the_shortest_way(self):
        result = self.train(MANIFESTS / "dqn_gridworld.toml", "--out", self.folder / "out")
        print(f"gridworld: {result['frames']} frames in {result['seconds']:.1f} s")
        self.assertAlmostEqual(result["eval_return_mean"], 1 - 7 * 0.01, places=6)  # 8 steps, the last into the goal
        self.assertEqual(result["eval_return_std"], 0)
        self.assertLess(result["frames"], 20_000)

    def test_dqn_learns_cartpole(self):
        self.balances("dqn_cartpole.toml", 4)  # the quickest of the first five; bench/learning.py trains them all

    def test_ppo_learns_cartpole(self):
        self.balances("ppo_cartpole.toml", 0)

    def test_ppo_catches_every_ball_it_sees(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = self.train(MANIFESTS / "ppo_catch.toml", "--out", self.folder / "out")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"catch: {result['frames']} frames in {result['seconds']:.1f} s")
        self.assertLess(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, LONGEST_S)
        self.assertAlmostEqual(result["eval_return_mean"], 1, places=6)
        self.assertLess(result["frames"], 60_000)

    def reaches(self, manifest, threshold, frames, *words):
        """On the compiled executor, which takes a few seconds for it."""
        words = ["--set", 'run.executor="compiled"', "--set", f"run.stop_at_return={threshold}", *words]
        result = self.train(MANIFESTS / manifest, "--out", self.folder / "out", *words)
        print(f"{manifest}: {result['frames']} frames in {result['seconds']:.1f} s, {result['best_return_mean']}")
        self.assertGreaterEqual(result["best_return_mean"], threshold)
        self.assertLessEqual(result["frames"], frames)

    def test_a2c_learns_cartpole(self):
        self.reaches("a2c_cartpole.toml", 475, 300_000)

    def test_reinforce_learns_cartpole(self):
        self.reaches("reinforce_cartpole.toml", 475, 400_000)

    def test_discrete_sac_learns_cartpole(self):
        self.reaches("sac_cartpole.toml", 400, 50_000)

    def test_ddpg_swings_the_pendulum_up(self):
        self.reaches("ddpg_pendulum.toml", -200, 15_000)

    def test_td3_swings_the_pendulum_up(self):
        self.reaches("td3_pendulum.toml", -200, 15_000)

    def test_redq_swings_the_pendulum_up(self):
        self.reaches("redq_pendulum.toml", -200, 4_000, "--set", "eval.every_frames=200")

    def test_ppo_learns_acrobot(self):
        self.reaches("ppo_acrobot.toml", -90, 200_000)

    def test_sac_swings_the_pendulum_up(self):
        out = self.folder / "out"
        result = self.train(MANIFESTS / "sac_pendulum.toml", "--out", out, "--set", "run.stop_at_return=-200")
        print(f"pendulum: {result['frames']} frames in {result['seconds']:.1f} s, {result['best_return_mean']}")
        self.assertGreaterEqual(result["best_return_mean"], -200)
        self.assertLessEqual(result["frames"], 15_000)


if __name__ == "__main__":
    unittest.main()
