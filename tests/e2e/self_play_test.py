#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Self-play against frozen copies, and tree search in copies of the env: what resumes, what is kept, what is played."""

import json
import unittest

from runs import RunCase, parameters, records

POOL = """
[run]
total_frames = 4_096
executor = "compiled"

[env]
plugin = "small/TicTacToe-v0"
opponent = "learnt"
lanes = 8

[policy.actor]
plugin = "mlp/categorical"
group = "player"
hidden = [8]

[policy.value]
plugin = "mlp/value"
group = "player"
hidden = [8]

[policy.opponent]
plugin = "league/opponent"
group = "opponent"

[policy.copies]
plugin = "mlp/categorical"
group = "opponent"
hidden = [8]
count = 4
freeze = true

[[hooks]]
plugin = "league/pool"
every = 1_100

[objective]
plugin = "ppo/ppo"
group = "player"

[train]
batch = 512
minibatch = 256

[eval]
every_frames = 2_048
episodes = 20

[[eval.env]]
name = "perfect"
replies = "perfect"

[[eval.env]]
name = "copies"

[validate]
allow = ["observation_scale", "unread_column"]
"""
SEARCH = """
[run]
total_frames = 512

[env]
plugin = "small/TicTacToe-v0"
opponent = "perfect"
lanes = 4

[policy.actor]
plugin = "plan/mcts"
simulations = 60

[eval]
every_frames = 256
episodes = 16
"""


# The search of both players, guided by networks that learn from it.
GUIDED = SEARCH.replace("perfect", "self").replace("simulations = 60", "simulations = 20").replace("[policy.actor]", "[policy.search]").replace(
    "total_frames = 512", 'total_frames = 4_096\nexecutor = "compiled"').replace("every_frames = 256", "every_frames = 2_048").replace("lanes = 4", "lanes = 8") + """
[[eval.env]]
opponent = "perfect"

[policy.guide]
plugin = "plan/guide"

[policy.actor]
plugin = "mlp/categorical"
hidden = [32]

[policy.value]
plugin = "mlp/value"
hidden = [32]

[objective]
plugin = "zero/zero"

[train]
batch = 256
minibatch = 64
epochs = 2

[optimiser]
lr = 3e-3
"""


def tensors(folder):
    """The bytes of each tensor of the last checkpoint."""
    data = parameters(folder)
    begin = 8 + int.from_bytes(data[:8], "little")
    stored = json.loads(data[8:begin])
    return {name: data[begin + one["data_offsets"][0] : begin + one["data_offsets"][1]] for name, one in stored.items() if name != "__metadata__"}


class SelfPlay(RunCase):
    def test_copies_are_what_the_actor_was_and_ratings_are_recorded(self):
        out = self.folder / "out"
        self.train(self.put("pool.toml", POOL), "--out", out)
        last = records(out)[-1]
        for metric in ("hook/elo", "hook/elo_of_best_copy", "hook/score", "eval/copies/mean_reward"):
            self.assertIn(metric, last)
        self.assertEqual(last["hook/copies"], 3)
        self.assertNotEqual(last["hook/elo"], 1200)
        weights = tensors(out)
        actor, copies = weights["actor/0.weight"], weights["copies/0.weight"]
        size = len(actor)
        members = [copies[k * size : (k + 1) * size] for k in range(4)]
        self.assertEqual(len(copies), 4 * size)
        self.assertEqual(len(set(members)), 4)  # of four ages
        self.assertNotIn(actor, members)  # the newest is of the round before

    def test_one_copy_is_the_newest(self):
        out = self.folder / "one"
        self.train(self.put("one.toml", POOL.replace("count = 4", "count = 1")), "--out", out, "--set", "run.total_frames=1_024")
        last = records(out)[-1]
        self.assertEqual((last["hook/copies"], len(tensors(out)["copies/0.weight"])), (0, len(tensors(out)["actor/0.weight"])))
        self.assertNotEqual(last["hook/elo"], 1200)

    def test_a_resumed_run_has_the_same_opponents(self):
        self.same_in_halves(self.put("pool.toml", POOL), 2_048)

    def test_a_tree_search_does_not_lose_to_a_perfect_player_and_resumes(self):
        whole, result = self.same_in_halves(self.put("search.toml", SEARCH), 256)
        self.assertGreaterEqual(result["eval_return_mean"], -0.1)
        self.assertEqual(records(whole)[-1]["frames"], 512)

    def test_a_search_guided_by_networks_learns_and_resumes(self):
        whole, result = self.same_in_halves(self.put("guided.toml", GUIDED), 2_048)
        errors = [record["train/value_error"] for record in records(whole)]
        self.assertLess(errors[-1], errors[0])
        self.assertGreater(result["eval_return_mean"], -0.5)
        alone = self.put("alone.toml", GUIDED.replace('[policy.guide]\nplugin = "plan/guide"\n', ""))
        self.assertIn("fine", self.tenon("validate", alone).stdout)


if __name__ == "__main__":
    unittest.main()
