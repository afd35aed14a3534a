#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of networks in place of columns: goals from hindsight are learnt from, and without them nothing is; a run
that was stopped goes on as if it had not been; on-policy batches are prepared with them, too."""

import unittest

from runs import MANIFESTS, RunCase, parameters, ppo_tables, records

FEW_BITS = ["--set", "env.bits=8", "--set", "policy.qvalue.hidden=[128]", "--set", "run.total_frames=10_000",
            "--set", "eval.every_frames=5_000", "--set", "checkpoint.every_frames=5_000"]

# The reward of every step is what a network that is not trained says of the state.
LEARNED_REWARD = """[run]
executor = "compiled"
total_frames = 1_024

[env]
plugin = "classic/CartPole-v1"
lanes = 4
""" + ppo_tables(8) + """
[policy.judge]
plugin = "mlp/value"
hidden = [8]
freeze = true

[columns]
"next.reward" = "judge.value"

[train]
batch = 256

[log]
every_frames = 512

[checkpoint]
every_frames = 512
"""


class StandIns(RunCase):
    def score(self, name, *more):
        self.train(MANIFESTS / "her_bitflip.toml", "--out", self.folder / name, *FEW_BITS, *more)
        return records(self.folder / name)[-1]["eval/mean_reward"]

    def test_goals_from_hindsight_are_reached_and_without_them_hardly_any(self):
        self.assertGreater(self.score("her"), 0.8)
        self.assertLess(self.score("plain", "--set", "buffer.ratio=0", "--set", "env.bits=16"), 0.1)

    def test_the_env_judges_relabelled_rows_as_functions_do(self):
        text = (MANIFESTS / "her_bitflip.toml").read_text()
        for line in ('[policy.goal]', 'plugin = "goals/hindsight"', '[columns]', '"desired_goal" = "goal.goal"',
                     '"next.desired_goal" = "goal.goal"', '"next.reward" = "goal.reward"', '"next.terminated" = "goal.reached"'):
            self.assertIn(line + "\n", text)
            text = text.replace(line + "\n", "")
        by_env = self.put("by_env.toml", text.replace('plugin = "replay/hindsight"\n',
                                                      'plugin = "replay/hindsight"\nrelabel_by = "env"\n'))
        # the rewards of goals/hindsight, which nothing else reads
        short = [*FEW_BITS, "--set", "run.total_frames=2_000", "--set", "env.reached_reward=0.0", "--set", "env.missed_reward=-1.0"]
        self.train(MANIFESTS / "her_bitflip.toml", "--out", self.folder / "by_functions", *short)
        for name, more in (("by_env", []), ("prefetched", ["--set", "buffer.prefetch=true"])):
            with self.subTest(name):
                self.train(by_env, "--out", self.folder / name, *short, *more)
                self.assertEqual(parameters(self.folder / name), parameters(self.folder / "by_functions"))

    def test_a_stopped_run_continues_as_if_it_had_not_been(self):
        self.same_in_halves(MANIFESTS / "her_bitflip.toml", 5_000, *FEW_BITS)

    def test_a_networks_value_is_the_reward_of_a_batch_and_its_network_is_not_trained(self):
        manifest = self.put("judge.toml", LEARNED_REWARD)
        whole, _ = self.same_in_halves(manifest, 512)
        own = self.put("own.toml", LEARNED_REWARD.replace('"next.reward" = "judge.value"', ""))
        self.train(own, "--out", self.folder / "own")
        self.assertNotEqual(records(whole)[-1]["train/loss/value"], records(self.folder / "own")[-1]["train/loss/value"])
        graphs = [self.tenon("explain", one, "--graph", "prepare").stdout for one in (manifest, own)]
        self.assertEqual(["next.reward" in graph for graph in graphs], [False, True])

if __name__ == "__main__":
    unittest.main()
