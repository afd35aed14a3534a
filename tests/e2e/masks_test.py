#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Nobody takes an action that its mask forbids, in thousands of frames of exploring, acting and evaluating: the envs
of plugins/envs/small refuse such an action, which parks the lane, and an evaluation fails."""

import unittest

from runs import RunCase

ENVS = {
    "gridworld": 'plugin = "small/GridWorld-v0"\nmap = ["....", ".#.X", "...G"]',
    "tictactoe": 'plugin = "small/TicTacToe-v0"',
    "self_play": 'plugin = "small/TicTacToe-v0"\nopponent = "self"',
}
POLICIES = {
    "double_dqn": ("mlp/q_value", "double = true", 1_000),
    "dqn": ("mlp/q_value", "double = false", 0),
    "categorical": ("mlp/categorical", None, 0),
    "random": ("random/random", None, 0),
}


def manifest(env, policy, objective, start_frames):
    text = f"""
[run]
total_frames = 4_000

[env]
{env}
lanes = 8

[policy.qvalue]
plugin = "{policy}"

[eval]
every_frames = 1_000
episodes = 20

[log]
every_frames = 1_000

[validate]
allow = ["unread_column"]  # whose turn it is
"""
    if objective:
        text += f"""
[exploration]
plugin = "explore/epsilon_greedy"
epsilon = 0.5

[buffer]
plugin = "replay/uniform"
capacity = 4_000

[objective]
plugin = "dqn/dqn"
{objective}

[train]
batch = 80
updates_per_batch = 2
start_frames = {start_frames}
"""
    return text


class Masks(RunCase):
    def test_no_forbidden_action_is_taken(self):
        for env, table in ENVS.items():
            for name, (policy, objective, start) in POLICIES.items():
                with self.subTest(f"{env} {name}"):
                    path = self.put(f"{env}_{name}.toml", manifest(table, policy, objective, start))
                    result = self.train(path, "--out", self.folder / f"{env}_{name}")
                    self.assertEqual(result["notices"], "")
                    self.assertGreaterEqual(result["frames"], 4_000)
                    self.assertEqual(result["eval_episodes"], 20)

    def test_who_does_not_see_the_mask_is_refused(self):
        """What the test above stands on; a transform that drops the column drops the mask."""
        blind = ENVS["gridworld"] + '\ntransforms = [{ plugin = "standard/exclude_columns", columns = ["action_mask"] }]'
        path = self.put("blind.toml", manifest(blind, "random/random", None, 0))
        said = self.tenon("run", path, "--quiet", "--out", self.folder / "blind", code=3).stderr
        self.assertIn("leads into a wall, which the action_mask forbids", said)


if __name__ == "__main__":
    unittest.main()
