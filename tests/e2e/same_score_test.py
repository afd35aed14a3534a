#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An evaluation of a run, `tenon eval` and `tenon record` give the policy the same numbers, so that it plays the same."""

import json
import unittest

from runs import FIXTURES, RunCase, records

# The policy reads the run's frames, updates and progress, an option that a schedule moves, and observations through a
# transform whose factor another one moves; its weights grow. Nothing is left to chance.
CLOCK = """
[env]
plugin = "clock/Pay-v0"
lanes = 4

[[env.transforms]]
plugin = "standard/as_real"

[policy.actor]
plugin = "clock/read"

[objective]
plugin = "clock/grow"
"""

COLLECTS = CLOCK + """
[run]
total_frames = 512

[exploration]
plugin = "explore/gaussian"

[buffer]
plugin = "replay/uniform"
capacity = 512

[train]
batch = 64
updates_per_batch = 3
minibatch = 16

[schedule]
"env.transforms.0.factor" = { kind = "linear", from = 1.0, to = 3.0, frames = 400 }
"policy.actor.offset" = { kind = "linear", from = 0.0, to = 50.0, frames = 600 }
"exploration.sigma" = { kind = "linear", from = 1.0, to = 0.1, frames = 400 }

[eval]
every_frames = 128
episodes = 8

[checkpoint]
every_frames = 128
keep = 10
"""

LEARNS = CLOCK + """
[buffer]
plugin = "replay/uniform"
capacity = 512
init = "collected"

[train]
total_updates = 64
minibatch = 16

[schedule]
"env.transforms.0.factor" = { kind = "linear", from = 1.0, to = 3.0, updates = 50 }
"policy.actor.offset" = { kind = "linear", from = 0.0, to = 50.0, updates = 80 }

[eval]
every_updates = 16
episodes = 8

[checkpoint]
every_updates = 16
keep = 10
"""


class SameScore(RunCase):
    def environment(self, die_at=None):
        return super().environment(die_at) | {"TENON_PLUGIN_PATH": str(FIXTURES)}

    def scores(self, run, checkpoint):
        """The mean return of 8 episodes, by `tenon eval` and by `tenon record`, which plays 2 in each of 4 lanes."""
        eval_words = ["eval", run, "--checkpoint", checkpoint, "--json"]
        record_words = ["record", run, "--checkpoint", checkpoint, "--json", "--actions", "mode", "--frames", 32, "--out",
                        self.folder / "frames"]
        made = [json.loads(self.tenon(*words).stdout) for words in (eval_words, record_words)]
        self.assertEqual([each["episodes"] for each in made], [8, 8])
        return [each["return_mean"] for each in made]

    def assert_same_scores(self, run, counter):
        in_run = {str(record[counter]): record["eval/mean_reward"] for record in records(run)
                  if record["eval/mean_reward"] is not None}
        self.assertEqual(len(set(in_run.values())), 4)
        for position, mean in in_run.items():
            self.assertEqual(self.scores(run, position), [mean, mean], position)

    def test_at_each_checkpoint_of_a_run(self):
        self.train(self.put("collects.toml", COLLECTS), "--out", self.folder / "run")
        self.assert_same_scores(self.folder / "run", "frames")

    def test_in_a_run_that_only_learns(self):
        """It counts itself in updates: progress and schedules go by them."""
        self.train(self.put("collects.toml", COLLECTS), "--out", self.folder / "collected")
        self.train(self.put("learns.toml", LEARNS), "--out", self.folder / "run")
        self.assert_same_scores(self.folder / "run", "train/n_updates")


if __name__ == "__main__":
    unittest.main()
