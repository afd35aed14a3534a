#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run whose rounds or evaluations take long leaves soon after Ctrl-C or SIGTERM, from their middle, and goes on as if it
had not. What it waits for, where it cannot leave, is said."""

import json
import shutil
import signal
import time
import unittest

from runs import FIXTURES, SMALL, RunCase, ppo_tables

# From the signal to the end: two seconds, and more where the machine is busy.
SOON = 60

# Long rounds: where the env is slow the steps take the time, else the updates.
ROUNDS = """[run]
executor = "compiled"
total_frames = 512

[env]
plugin = "faulty/Walk-v0"
lanes = 4
fault = "FAULT"
at = 0

[train]
batch = 256
minibatch = 16
LEARNS

[log]
every_frames = 256

[checkpoint]
keep = 1
"""
ON_POLICY = ROUNDS + ppo_tables(8)
OFF_POLICY = ROUNDS + """
[policy.qvalue]
plugin = "mlp/q_value"
hidden = [8]

[exploration]
plugin = "explore/epsilon_greedy"

[buffer]
plugin = "replay/uniform"
capacity = 1_000

[objective]
plugin = "dqn/dqn"
"""


class LongRounds(RunCase):
    def environment(self, die_at=None):
        return super().environment(die_at) | {"TENON_PLUGIN_PATH": str(FIXTURES)}

    def stopped(self, manifest, count, *words, number=signal.SIGTERM, wait=0.0):
        """The JSON object of a run that got a signal so long after its so manieth record, and its folder."""
        out = self.folder / f"{manifest.stem}_cut"
        process = self.start("run", manifest, "--quiet", "--json", "--out", out, *words)
        self.wait_for(process, self.has_records(out, count))
        time.sleep(wait)
        process.send_signal(number)
        began = time.monotonic()
        output, errors = process.communicate(timeout=self.patience)
        self.assertLess(time.monotonic() - began, SOON)
        self.assertEqual((process.returncode, errors), (0, ""))
        result = json.loads(output)
        self.assertEqual(self.last_frames(out), result["frames"])
        return result, out

    def stopped_within(self, manifest, count, is_within, *words, number=signal.SIGTERM):
        """The same of a run that the signal found where it was to be; None: it did not, however long it waited."""
        for wait in (0, 0.05, 0.1, 0.2, 0.4, 0.8):
            result, out = self.stopped(manifest, count, *words, number=number, wait=wait)
            if is_within(result):
                return out
            shutil.rmtree(out)
        return None

    def assert_goes_on(self, manifest, out, *words):
        whole = self.folder / f"{manifest.stem}_whole"
        self.train(manifest, "--out", whole, *words)
        self.train("--resume", out)
        self.assert_same_run(whole, out)

    def test_in_the_middle_of_collecting(self):
        for name, text in (("on_policy", ON_POLICY), ("off_policy", OFF_POLICY)):
            with self.subTest(name):
                manifest = self.put(f"{name}.toml", text.replace("FAULT", "slow").replace("LEARNS", ""))
                out = self.stopped_within(manifest, 1, lambda result: result["frames"] in range(257, 512))
                self.assertIsNotNone(out, "no signal came in the middle")
                self.assert_goes_on(manifest, out)

    def test_in_the_middle_of_learning(self):
        for name, text in (("on_policy", ON_POLICY), ("off_policy", OFF_POLICY)):
            with self.subTest(name):
                out = self.stopped_in_learning(name, text)
                self.assertIsNotNone(out, "no signal came in the middle")
                self.assert_goes_on(self.folder / f"{name}.toml", out)

    def stopped_in_learning(self, name, text):
        """A run may end its round within a quarter of a second after the signal, so a fast machine needs longer rounds."""
        for epochs in (9_000, 36_000, 144_000):
            updates = epochs * 256 // 16
            learns = f"epochs = {epochs}" if name == "on_policy" else f"updates_per_batch = {updates}"
            manifest = self.put(f"{name}.toml", text.replace("FAULT", "none").replace("LEARNS", learns))
            out = self.stopped_within(
                manifest, 1, lambda result, whole=updates: result["frames"] == 512 and whole < result["updates"] < 2 * whole,
                number=signal.SIGINT)
            if out:
                return out
        return None

    def test_in_the_middle_of_an_evaluation(self):
        manifest = self.put("small.toml", SMALL)
        words = ["--set", "run.total_frames=1_500", "--set", "eval.episodes=100_000", "--set", "eval.lanes=1"]
        out = self.stopped_within(
            manifest, 3, lambda result: (result["frames"], result["eval_return_mean"]) == (1_024, None), *words)
        self.assertIsNotNone(out, "no signal came in the middle")
        self.assert_goes_on(manifest, out, *words)


class Waiting(RunCase):
    """An env that never comes back, in a run that has a checkpoint of frame 256."""

    def environment(self, die_at=None):
        return super().environment(die_at) | {"TENON_PLUGIN_PATH": str(FIXTURES)}

    def setUp(self):
        super().setUp()
        text = ROUNDS.replace("FAULT", "hangs").replace("at = 0", "at = 100").replace("LEARNS", "")
        text += '[policy.anything]\nplugin = "faulty/act"\n'
        text = text.replace("keep = 1", "every_frames = 256")
        self.manifest = self.put("walk.toml", text)

    def assert_named(self, out, number, *words):
        process = self.start("run", self.manifest, "--quiet", "--out", out, *words)
        self.wait_for(process, lambda: (out / "checkpoints" / "last").is_symlink())
        time.sleep(0.5)
        process.send_signal(number)
        began = time.monotonic()
        said = process.stderr.readline()
        self.assertLess(time.monotonic() - began, SOON)
        frames = self.last_frames(out)
        self.assertEqual(said, "warning: the run was asked to stop and waits for faulty/Walk-v0, step, to return; a second "
                         f"signal ends it at once, and the checkpoint at frame {frames} stays\n")
        self.assertEqual(process.stderr.readline(), f" --> {self.manifest}:6:10\n")
        self.assertIsNone(process.poll())
        process.send_signal(number)
        began = time.monotonic()
        self.assertEqual(process.wait(self.patience), 128 + number)
        self.assertLess(time.monotonic() - began, SOON)
        self.assertIn("over 1 episode ", self.tenon("eval", out, "--checkpoint", "last", "--episodes", 1).stdout)

    def test_for_a_plugin_that_does_not_come_back(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number.name):
                self.assert_named(self.folder / number.name, number)

    def test_for_one_that_another_thread_called(self):
        words = ["env.lanes=128", "train.batch=128", "run.total_frames=100_000", "run.threads=2", "env.lane=100",
                 "checkpoint.every_frames=6_400"]
        self.assert_named(self.folder / "out", signal.SIGTERM, *[word for each in words for word in ("--set", each)])


if __name__ == "__main__":
    unittest.main()
