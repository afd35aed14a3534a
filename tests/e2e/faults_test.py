#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plugins that go wrong in the middle of a run: the sentence, the exit code, and what is saved."""

import json
import math
import unittest

from runs import FIXTURES, MIB, SANITIZED, RunCase, limit_memory

WALK = """
[run]
total_frames = 2_000

[env]
plugin = "faulty/Walk-v0"
lanes = 4

[policy.anything]
plugin = "faulty/act"

[checkpoint]
every_frames = 256

[log]
every_frames = 256
"""

LEARN = """
[run]
total_frames = 2_000
executor = "compiled"  # mapping libtorch takes longer than these runs
[env]
plugin = "faulty/Walk-v0"
lanes = 4

[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]

[buffer]
plugin = "faulty/choose"
capacity = 1_000

[objective]
plugin = "faulty/nan_loss"
at = 1e9

[train]
batch = 64
minibatch = 16
start_frames = 64

[checkpoint]
every_frames = 256
"""

PPO = """
[run]
total_frames = 2_000
executor = "compiled"  # mapping libtorch takes longer than these runs
[env]
plugin = "faulty/Walk-v0"
lanes = 4

[policy.actor]
plugin = "faulty/doubt"

[policy.value]
plugin = "mlp/value"

[objective]
plugin = "ppo/ppo"
"""


class Faults(RunCase):
    def setUp(self):
        super().setUp()
        self.walk = self.put("walk.toml", WALK)
        self.learn = self.put("learn.toml", LEARN)
        self.out = self.folder / "out"

    def environment(self, die_at=None):
        return super().environment(die_at) | {"TENON_PLUGIN_PATH": str(FIXTURES)}

    def run_with(self, manifest, *sets, code=0, **more):
        """stderr of a run, without the excerpts of manifests."""
        words = [word for each in sets for word in ("--set", each)]
        done = self.tenon("run", manifest, "--quiet", "--out", self.out, *words, code=code, **more)
        self.assertEqual(bool(done.stdout), code == 0)
        lines = [line for line in done.stderr.splitlines() if line.startswith(("error: ", "warning: ", " --> ", "help: "))]
        return "\n".join(lines).replace(f"{self.folder}/", "")

    def saved(self, frames):
        """The help that says so, where it is true."""
        self.assertEqual(self.last_frames(self.out), frames)
        score = self.tenon("eval", self.out, "--checkpoint", "last", "--episodes", 1)
        self.assertIn("over 1 episode ", score.stdout)
        return (f"help: the run is saved up to frame {frames}; fix the cause, then continue from there: tenon run --resume out")


class Envs(Faults):
    def parked(self, *sets):
        """A run in which lane 2 fails and the others go on."""
        return self.run_with(self.walk, *sets, "env.lane=2")

    def test_one_that_throws_loses_its_lane(self):
        self.assertEqual(
            self.parked("env.fault=throw"),
            "warning: faulty/Walk-v0: lane 2 is parked and its frames are left out: the wheels came off (frame 396)\n"
            " --> walk.toml:6:10")

    def test_one_that_throws_in_a_later_reset_does_too(self):
        self.assertEqual(
            self.parked("env.fault=throw_in_reset"),
            "warning: faulty/Walk-v0: lane 2 is parked and its frames are left out: the level has no start (frame 396)\n"
            " --> walk.toml:6:10")

    def test_one_that_throws_in_its_first_reset_does_too(self):
        self.assertEqual(
            self.parked("env.fault=throw_in_reset", "env.at=0"),
            "warning: faulty/Walk-v0: lane 2 is parked and its frames are left out: the level has no start (frame 0)\n"
            " --> walk.toml:6:10")

    def test_numbers_that_are_none(self):
        for fault, column, value in (("nan_reward", "reward", "nan"), ("inf_reward", "reward", "-inf"),
                                     ("nan_observation", "next.observation", "nan at element 1"),
                                     ("nan_in_reset", "observation", "nan at element 0"),
                                     ("nan_at_the_end", "next.observation", "inf at element 0")):
            with self.subTest(fault):
                self.out = self.folder / fault
                self.assertEqual(
                    self.parked(f"env.fault={fault}"),
                    f"warning: faulty/Walk-v0: lane 2 is parked and its frames are left out: its column '{column}' is "
                    f"{value} (frame 396)\n --> walk.toml:6:10")

    def test_a_run_with_a_parked_lane_resumes_as_if_it_had_not_stopped(self):
        sets = ["--set", "env.fault=nan_observation", "--set", "env.lane=2"]
        whole = self.folder / "whole"
        self.train(self.walk, "--out", whole, *sets)
        self.train(self.walk, "--out", self.out, *sets, "--set", "run.total_frames=1_000")
        self.train("--resume", self.out, "--set", "run.total_frames=2_000")
        self.assert_same_run(whole, self.out)

    def test_all_lanes_end_the_run(self):
        for fault, why in (("throw", "; the last reason given is: the wheels came off"),
                           ("nan_reward", ": its column 'reward' is nan")):
            with self.subTest(fault):
                self.out = self.folder / "out"
                text = self.run_with(self.walk, f"env.fault={fault}", code=3)
                self.assertEqual(
                    text, f"error: faulty/Walk-v0: all lanes are parked, so the run cannot continue{why} (frame 396)\n"
                    f" --> walk.toml:6:10\n{self.saved(256)}")
                self.out.rename(self.folder / fault)

    def test_many_lanes_are_not_listed_one_by_one(self):
        text = self.run_with(self.walk, "env.lanes=64", "train.batch=64", "env.fault=throw", "env.at=10", code=3)
        self.assertEqual(text.count("warning"), 0)
        self.assertEqual(text.count("error"), 1)

    def test_nothing_saved_yet(self):
        text = self.run_with(self.walk, "env.fault=throw", "env.at=2", code=3)
        self.assertTrue(text.endswith("\nhelp: nothing was saved: the run had not reached its first checkpoint"), text)
        self.assertFalse(self.out.exists())

    def test_before_there_is_a_run(self):
        for fault, sentence in (("throw_in_create", "error: faulty/Walk-v0: the simulator is not installed"),
                                ("throw_in_reset", "error: faulty/Walk-v0: all lanes are parked, so the run cannot continue: the level has no start")):
            with self.subTest(fault):
                text = self.run_with(self.walk, f"env.fault={fault}", "env.at=0", "env.lanes=1", code=3)
                self.assertEqual(text, f"{sentence}\n --> walk.toml:6:10")
                self.assertFalse(self.out.exists())

    def test_in_an_evaluation(self):
        text = self.run_with(self.walk, "env.fault=throw", "eval.every_frames=256", "eval.episodes=20", "eval.lanes=1", code=3)
        self.assertTrue(text.startswith(
            "error: faulty/Walk-v0: all lanes are parked, so the run cannot continue: the wheels came off (in an "
            "evaluation)\n --> walk.toml:6:10\nhelp: nothing was saved"), text)

        sixth = ["env.fault=throw", "env.lane=6"]  # behind the four of the training
        text = self.run_with(self.walk, *sixth, "eval.every_frames=256", "eval.episodes=100", "eval.lanes=4", code=3)
        self.assertTrue(text.startswith(
            "error: faulty/Walk-v0: lane 2 cannot go on: the wheels came off (in an evaluation)\n --> walk.toml:6:10\nhelp: nothing was "
            "saved"), text)

    def test_an_observation_out_of_its_spec_is_said_once(self):
        text = self.run_with(self.walk, "env.fault=out_of_spec", "env.lane=1")
        self.assertEqual(
            text, "warning: faulty/Walk-v0: it observes [-2, 1000] in lane 1, but its spec is observation: float32 [2] in [-100, "
            "100]; this is reported once (frame 512)\n --> walk.toml:6:10")


class Others(Faults):
    def ends(self, manifest, *sets, **more):
        return self.run_with(manifest, *sets, code=3, **more)

    def test_a_policy_that_throws(self):
        text = self.ends(self.walk, "policy.anything.fault=throw", "checkpoint.every_frames=4")
        self.assertRegex(text, r"^error: faulty/act, act: the script has no line for this \(frame \d+\)\n --> walk.toml:10:10\nhelp")

    def test_a_policy_that_chooses_what_there_is_not(self):
        text = self.ends(self.walk, "policy.anything.fault=no_such_action")
        self.assertRegex(text, r"^error: faulty/act: it gives lane \d the action 7, but the env takes action: int64, 2 "
                         r"categories \(frame \d+\)\n --> walk.toml:10:10\nhelp: nothing was saved")

    def test_a_policy_that_does_not_know_how_likely_its_action_was(self):
        text = self.ends(self.put("ppo.toml", PPO))
        self.assertRegex(text, r"^error: the acting policy has an error: its column 'log_prob' is nan in lane \d \(frame \d+\)\n "
                         r"--> ppo.toml:10:10\nhelp: nothing was saved")

    def test_a_transform_that_throws(self):
        text = self.ends(self.walk, "env.transforms=[{plugin='faulty/spoil',fault='throw'}]")
        self.assertEqual(text.splitlines()[0], "error: faulty/spoil, apply: the scale is broken (frame 196)")

    def test_a_transform_that_makes_what_is_no_number(self):
        chain = "".join(f"\n[[env.transforms]]\nplugin = {plugin}\n" for plugin in
                        ('"standard/reward_scale"', '"faulty/spoil"\nfault = "nan"', '"standard/reward_clip"'))
        manifest = self.put("chain.toml", self.walk.read_text() + chain)
        line = manifest.read_text().splitlines().index('plugin = "faulty/spoil"') + 1
        text = self.ends(manifest)
        self.assertEqual(text.splitlines()[:2], ["error: faulty/spoil: all lanes are parked, so the run cannot continue: "
                                                 "its column 'reward' is nan (frame 196)", f" --> chain.toml:{line}:10"])

    def test_a_sampler_that_throws(self):
        text = self.ends(self.learn, "buffer.fault=throw")
        self.assertEqual(text, f"error: faulty/choose, sample: the urn is empty (update 19)\n --> learn.toml:14:10\n"
                         f"{self.saved(1024)}")

    def test_a_sampler_that_points_outside(self):
        for fault, where in (("no_such_slot", "row 3 of index array 0 is slot 1000000 of lane 0"),
                             ("no_such_lane", "row 5 of index array 0 is slot 0 of lane 4000000000")):
            with self.subTest(fault):
                self.out = self.folder / "out"
                text = self.ends(self.learn, f"buffer.fault={fault}")
                self.assertEqual(text, f"error: faulty/choose: {where}, which is not a transition in the buffer (251 slots, 4 "
                                 f"lanes) (update 19)\n --> learn.toml:14:10\n{self.saved(1024)}")
                self.out.rename(self.folder / fault)

    def test_a_loss_that_is_not_finite(self):
        self.is_said(self.loss_that_is_not_finite)

    def test_a_gradient_that_is_not_finite(self):
        self.is_said(self.gradient_that_is_not_finite)

    def is_said(self, ending):
        """In the same words by every executor, also where libtorch cannot be mapped."""
        without_libtorch = {} if SANITIZED else limit_memory(200 * MIB)  # sanitizers map terabytes
        for name, more in (("reference", {}), ("compiled", {}), ("compiled alone", without_libtorch)):
            with self.subTest(name):
                self.out = self.folder / name.replace(" ", "_")
                ending(f"run.executor={name.split()[0]}", **more)

    def loss_that_is_not_finite(self, *sets, **more):
        text = self.ends(self.learn, "objective.at=15", *sets, **more)
        self.assertRegex(text, r"^error: the loss 'q' of the stage 'update' is nan in the program 'update'; the first value that is not finite is that of "
                         r"log/1 of faulty/nan_loss \(update 15\)\n --> faulty/faulty.cpp:\d+:\d+\n --> learn.toml:18:10\nhelp: its "
                         r"inputs are in \[0, 0\]; the run is saved up to frame 768; ")
        self.saved(768)

    def gradient_that_is_not_finite(self, *sets, **more):
        manifest = self.put("gradient.toml", LEARN.replace("nan_loss", "nan_gradient"))
        text = self.ends(manifest, "objective.at=15", *sets, **more)
        self.assertRegex(text, r"^error: the gradient of the stage 'update' with respect to the parameter '0.weight' of 'qvalue' is not finite in "
                         r"the program 'update', though its losses are finite \(update 15\)\n --> faulty/faulty.cpp:\d+:\d+\n --> "
                         r"gradient.toml:18:10\nhelp: the run is saved up to frame 768; ")
        self.saved(768)

    def test_what_is_not_finite_may_be_left_out(self):
        for objective in ("nan_loss", "nan_gradient"):
            for more in ((), ("--set", "train.accumulate=2"), ("--set", "run.executor=auto")):
                with self.subTest(objective, more=more):
                    manifest = self.put("left_out.toml", LEARN.replace("nan_loss", objective))
                    sets = ["--set", "train.on_not_finite=leave_out", "--set", "objective.at=15", "--set", "objective.until=19",
                            "--set", "log.every_frames=128"]
                    folder = self.folder / "_".join([objective, *more[1:]])
                    whole, out = folder / "whole", folder / "cut"
                    result = self.train(manifest, "--out", whole, *sets, *more)
                    self.assertEqual(result["notices"].count("warning"), 1)
                    self.assertRegex(result["notices"], r"warning: the .* of the stage 'update' .* \(update 15\); its minibatch is "
                                     r"left out \(reported once, then counted\) \(frame \d+\)")
                    records = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
                    self.assertEqual(records[-1]["train/n_left_out"], 8 if "train.accumulate=2" in more else 4)
                    self.assertTrue(all(math.isfinite(value) for record in records for name, value in record.items()
                                        if name.startswith("train/loss") and value is not None))
                    self.train(manifest, "--out", out, *sets, *more, "--set", "run.total_frames=1_152")
                    self.train("--resume", out, "--set", "run.total_frames=2_000")
                    self.assert_same_run(whole, out)

    def test_a_run_that_ended_goes_on_with_them_left_out(self):
        self.ends(self.learn, "objective.at=15", "objective.until=19")
        done = self.tenon("run", "--resume", self.out, "--quiet", "--json", "--set", "train.on_not_finite=leave_out")
        self.assertEqual(json.loads(done.stdout)["frames"], 2048)
        self.assertIn("(update 15); its minibatch is left out", done.stderr)


if __name__ == "__main__":
    unittest.main()
