#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that learn from the frames of another one (buffer.init): without collecting (train.total_updates), or besides."""

import json
import unittest

from runs import FIXTURES, SMALL, RunCase, contents

LEARNS = """
[env]
plugin = "classic/CartPole-v1"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [64, 64]

[buffer]
plugin = "replay/uniform"
capacity = 5_000
init = "collected"

[objective]
plugin = "dqn/dqn"

[train]
total_updates = 1_000
minibatch = 64

[optimiser]
lr = 1e-3

[target]
every = 200

[schedule]
"optimiser.lr" = { from = 1e-3, to = 1e-4, updates = 5000 }

[eval]
every_updates = 100
episodes = 4

[log]
every_updates = 25

[checkpoint]
every_updates = 100
"""

# Actors for actions of real numbers, from frames in which actions were drawn at random. These have a return of about -3; 10 is the
# best, and who does not look at the observation gets 6.7 at most.
RANDOM = """
[run]
executor = "compiled"
total_frames = 4_000

[plugins]
search = [{fixtures}]

[env]
plugin = "choices/Choices-v0"
action = "bounded"

[policy.actor]
plugin = "random/random"
"""
ACTORS = RANDOM.replace("total_frames = 4_000\n", "").replace('"random/random"', '"mlp/tanh_normal"\nhidden = [32]') + """
[policy.qvalue]
plugin = "mlp/q"
hidden = [64]
count = 2

[buffer]
plugin = "replay/uniform"
capacity = 4_001
init = "random.frames"

[objective]
gamma = 0.5
loss = "l2"
{objective}

[train]
total_updates = 1_000
minibatch = 128

[optimiser]
lr = 3e-3

[target]
kind = "soft"
tau = 0.05

[eval]
every_updates = 1_000
episodes = 40
"""


class OnlyLearns(RunCase):
    SHARED = {"collected": []}

    def setUp(self):
        super().setUp()
        self.learns = self.put("learns.toml", LEARNS.replace('"collected"', json.dumps(str(self.shared / "collected"))))

    def assert_same_learning(self, one, other):
        records = []
        for run in (one, other):
            lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
            records.append([{k: v for k, v in line.items() if not k.startswith("time/")} for line in lines])
            self.assertEqual({line["frames"] for line in lines}, {0})
        self.assertEqual(*records)
        names = [sorted(p.name for p in (run / "checkpoints").iterdir()) for run in (one, other)]
        self.assertEqual(*names)
        for name in ("last", "best"):
            self.assertEqual(contents(one / "checkpoints" / name), contents(other / "checkpoints" / name))

    def test_it_leaves_at_a_number_of_updates_and_has_no_frames_to_leave_at(self):
        out = self.folder / "out"
        self.assertEqual(self.train(self.learns, "--out", out, "--leave-at-updates", 300)["updates"], 300)
        self.assertEqual(self.train("--resume", out, "--leave-at-updates", 300)["updates"], 300)
        done = self.tenon("run", self.learns, "--out", self.folder / "none", "--leave-at-frames", 300, code=2)
        self.assertIn("the run only learns, so it cannot be left at a number of frames", done.stderr)
        self.put("sweep.toml", 'base = "learns.toml"\ntrials = 2\nhalving = { frames = [300] }\n[space]\n"optimiser.lr" = { values = [1] }\n')
        done = self.tenon("sweep", "sweep.toml", "--out", self.folder / "none", code=2)
        self.assertIn("learns.toml only learns and has no frames: [halving] needs updates", done.stderr)
        self.assertFalse((self.folder / "none").exists())

    def test_it_learns_counts_updates_and_is_scored(self):
        result = self.train(self.learns, "--out", self.folder / "out", "--set", "train.total_updates=3_000")
        self.assertEqual((result["frames"], result["updates"]), (0, 3_000))
        self.assertEqual(self.last_frames(self.folder / "out"), 3_000)
        records = (self.folder / "out" / "metrics.jsonl").read_text().splitlines()
        self.assertEqual(len(records), 3_000 // 25)
        self.assertGreater(result["best_return_mean"], 100)  # at random it is about 22
        done = self.tenon("eval", self.folder / "out", "--checkpoint", "2900", "--json")
        self.assertEqual(json.loads(done.stdout)["episodes"], 4)

    def test_a_killed_run_goes_on_and_a_finished_one_is_extended(self):
        whole, out = self.folder / "whole", self.folder / "out"
        self.train(self.learns, "--out", whole)
        self.tenon("run", self.learns, "--quiet", "--out", out, "--set", "train.total_updates=500", code=-9,
                   die_at="write:*/state.bin:3")
        self.train("--resume", out)
        result = self.train("--resume", out, "--set", "train.total_updates=1_000")
        self.assertEqual(result["updates"], 1_000)
        self.assert_same_learning(whole, out)
        self.assertEqual(self.tenon("run", "--resume", out, "--set", "train.total_updates=100", code=2).stderr,
                         f"error: the run in {out} has 1000 updates; train.total_updates is 100\n"
                         "help: give a larger train.total_updates; the run's own is 1000\n")

    def test_without_frames_in_its_checkpoints_it_takes_them_again(self):
        lean = ["--set", "checkpoint.buffer=false"]
        whole, out = self.folder / "whole", self.folder / "out"
        self.train(self.learns, "--out", whole, *lean)
        begun = self.train(self.learns, "--out", out, *lean, "--set", "train.total_updates=500")
        self.assertEqual(begun["notices"], "")
        resumed = self.train("--resume", out, "--set", "train.total_updates=1_000")
        self.assertIn("the run continues with that of buffer.init", resumed["notices"])
        self.assert_same_learning(whole, out)

    def test_a_run_that_collects_may_begin_with_frames_too(self):
        manifest = self.put("both.toml", SMALL.replace("capacity = 5_000", 'capacity = 5_000\ninit = "collected"')
                            .replace('"collected"', json.dumps(str(self.shared / "collected")))
                            .replace("start_frames = 500", "start_frames = 0"))
        result = self.train(manifest, "--out", self.folder / "out", "--set", "run.total_frames=64")
        self.assertEqual((result["frames"], result["updates"]), (64, 4))

    def test_what_its_frames_cannot_be(self):
        for override, sentence in (
            ("env.lanes=2", "come from 4 lanes, but env.lanes is 2; give --set env.lanes=4"),
            ("env.lanes=1", "come from 4 lanes, but env.lanes is 1; give --set env.lanes=4, or use one.frames of `tenon data convert --one-lane "),
            ("buffer.capacity=400", "are more than buffer.capacity holds; make it 5000"),
            ('env.plugin="classic/Acrobot-v1"', "have the column 'observation' as float32 [4], but this run has float32 [6]"),
            ('env.plugin="classic/MountainCar-v0"', "have the column 'observation' as float32 [4], but this run has float32 [2]"),
            ('buffer.init="nothing"', "there is no run folder and no file "),
            ('buffer.init="learns.toml"', "learns.toml is in no known format: it is no file of frames, run, checkpoint or folder of a buffer"),
        ):
            with self.subTest(override):
                told = self.tenon("validate", self.learns, "--set", override, code=2).stderr
                self.assertIn(sentence, told)
        reads = ("--set", 'env.transforms=[{plugin="standard/step_counter"}]', "--set", 'policy.qvalue.in=["observation", "step_count"]')
        self.assertIn("have no column 'step_count'; they have observation, ", self.tenon("validate", self.learns, *reads, code=2).stderr)
        lean = self.folder / "lean"
        self.train(self.manifest, "--out", lean, "--set", "run.total_frames=600", "--set", "checkpoint.buffer=false")
        told = self.tenon("validate", self.learns, "--set", f"buffer.init={json.dumps(str(lean))}", code=2).stderr
        self.assertIn("has no frames: its run had checkpoint.buffer = false", told)
        self.assertIn("help: tenon record RUN --frames N --out FILE writes frames of a run in a file", told)


class OfflineActors(RunCase):
    def learnt_from_random_frames(self, objective, more=""):
        """The last evaluation of an actor that has seen random actions only."""
        words = {"fixtures": json.dumps(str(FIXTURES)), "objective": objective}
        self.tenon("record", self.put("random.toml", RANDOM.format(**words)), "--frames", 4_000, "--actions", "random", "--out", "random.frames")
        result = self.train(self.put("actor.toml", ACTORS.format(**words) + more), "--out", self.folder / "out")
        self.assertEqual((result["frames"], result["updates"]), (0, 1_000))
        return result["eval_return_mean"]

    def test_conservative_q_learning_acts_better_than_its_frames(self):
        options = 'plugin = "cql/cql"\ncql_weight = 0.1\ndraws = 4\nalpha = 0.1\nlearn_alpha = false\nclone_updates = 100'
        self.assertGreater(self.learnt_from_random_frames(options), 8)

    def test_implicit_q_learning_acts_better_than_its_frames(self):
        options = 'plugin = "iql/iql"\nexpectile = 0.9\ntemperature = 5.0'
        value = '\n[policy.value]\nplugin = "mlp/value"\nhidden = [64]\n'
        self.assertGreater(self.learnt_from_random_frames(options, value), 8)


if __name__ == "__main__":
    unittest.main()
