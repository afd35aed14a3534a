#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""collector.record: what a run collects, as a file, the same when the run was stopped and resumed."""

import json
import os
import signal
import unittest

from record_test import header
from runs import RunCase, parameters


class Collected(RunCase):
    def test_a_run_and_its_resumed_twin_record_the_same(self):
        """A buffer of 800 frames, so most episodes have left it before the run ends."""
        words = ["--set", "buffer.capacity=800", "--set", "run.total_frames=2_500"]
        self.run_to("plain", *words)
        made = self.train(self.manifest, "--out", "whole", *words, "--set", "collector.record=whole.frames")
        self.assertEqual(parameters(self.folder / "plain"), parameters(self.folder / "whole"))
        tensors, about = header(self.folder / "whole.frames")
        frames, ends = made["recorded"]["frames"], made["recorded"]["episodes"]
        self.assertTrue(made["recorded"]["written"])
        self.assertEqual(tensors["observation"], ("F32", [frames + 1, 1, 4]))
        self.assertEqual(tensors["observation/final"], ("F32", [ends, 4]))
        self.assertGreater(frames, 2_200)
        self.assertLess(frames, made["frames"])  # four episodes had not ended
        self.assertEqual((about["actions"], about["episodes"]), ("collected", str(ends)))

        half = ["--set", "collector.record=half.frames"]
        first = self.train(self.manifest, "--out", "half", *words, *half, "--set", "run.total_frames=1_200")
        self.assertTrue(first["recorded"]["written"])
        self.assertLess(first["recorded"]["frames"], 1_200)
        self.train("--resume", "half", "--set", "run.total_frames=2_500")
        left, right = ((self.folder / f"{name}.frames").read_bytes() for name in ("whole", "half"))
        # the same but for the hash of the manifest, which has the file's name
        (_, about_half) = header(self.folder / "half.frames")
        self.assertEqual(left.replace(about["manifest_sha256"].encode(), about_half["manifest_sha256"].encode()), right)
        told = json.loads(self.tenon("data", "info", "whole.frames", "--json").stdout)
        self.assertEqual(told["frames"], frames)

    def test_a_stopped_run_writes_when_it_ends(self):
        words = ["--set", "run.total_frames=100_000", "--set", "collector.record=stopped.frames", "--set", "eval.every_frames=0"]
        process = self.start("run", self.manifest, "--quiet", "--json", "--out", "stopped", *words)
        self.wait_for(process, self.has_records(self.folder / "stopped", 4))
        os.kill(process.pid, signal.SIGINT)
        said = json.loads(process.communicate(timeout=self.patience)[0].splitlines()[-1])
        self.assertFalse(said["recorded"]["written"])
        self.assertFalse((self.folder / "stopped.frames").exists())
        with open(self.folder / "stopped/recorded/episodes", "ab") as file:
            file.write(b"what a killed process had written after its checkpoint")
        frames = self.last_frames(self.folder / "stopped")
        self.train("--resume", "stopped", "--set", f"run.total_frames={frames + 64}")
        tensors, _ = header(self.folder / "stopped.frames")
        self.assertGreaterEqual(tensors["reward"][1][0], said["recorded"]["frames"])

    def test_what_cannot_be_is_told(self):
        for record, sentence in (("there.frames", "there.frames exists already; collector.record must name a new file or folder"),
                                 ("collected.csv", "which must be a file that ends in .frames, or the folder of a dataset")):
            with self.subTest(sentence):
                self.put("there.frames", "")
                done = self.tenon("run", self.manifest, "--out", "out", "--set", f"collector.record={record}", code=2)
                self.assertIn(sentence, done.stderr)
                self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
