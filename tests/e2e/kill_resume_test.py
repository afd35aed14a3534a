#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kill -9 at any moment, then --resume: the run is as if nothing had happened.

Ten points: three at random in the middle of training, the others at exact steps on the way to the disk."""

import random
import re
import unittest

from runs import RunCase, parameters, without_time

SEED = 20240607


class KillResume(RunCase):
    SHARED = {"whole": []}

    def setUp(self):
        super().setUp()
        self.whole = self.shared / "whole"
        self.result = self.results["whole"]
        self.newest = str(self.result["frames"])

    def assert_resumes(self, out):
        resumed = self.train("--resume", out)
        self.assert_same_run(self.whole, out)
        for key in ("frames", "updates", "eval_return_mean", "eval_return_std", "best_return_mean"):
            self.assertEqual(resumed[key], self.result[key])
        return resumed

    def test_in_the_middle_of_training(self):
        draw = random.Random(SEED)
        for i in range(3):
            records = draw.randrange(2, 36)
            with self.subTest(records=records):
                out = self.folder / f"killed-{i}"
                process = self.start("run", self.manifest, "--quiet", "--out", out)
                self.wait_for(process, self.has_records(out, records))
                process.kill()
                self.assertEqual(process.wait(), -9)
                self.assert_resumes(out)

    def test_at_steps_of_a_checkpoint(self):
        points = {
            "half of the parameters": "write:*/parameters.safetensors:3",
            "half of the buffer": "write:*/frames.safetensors:20",
            "half of the state": "write:*/state.bin:4",
            "half of the list of files": "write:*/complete.json:4",
            "files there, not yet synced": "fsync:*/complete.json:5",
            "complete, without its name": f"rename:*/checkpoints/{self.newest}:1",
            "named, not yet the last": "symlink:*/.last.tmp-*:4",
            "the last, not yet the best": "rename:*/checkpoints/best:2",
            "the old one half removed": "unlink:state.bin:2",
            "half of a record": "write:*/metrics.jsonl:17",
            "a record in one file only": "write:*/metrics.csv:17",
        }
        for i, (name, point) in enumerate(points.items()):
            with self.subTest(name):
                out = self.folder / f"killed-{i}"
                self.killed(out, point)
                left = [p.name for p in (out / "checkpoints").iterdir()]
                if name.startswith(("half of the", "files there", "complete", "the old")):
                    self.assertTrue(any(re.match(r"\.\d+\.tmp-", each) for each in left), left)
                self.assert_resumes(out)

    def test_twice_in_one_run(self):
        out = self.folder / "killed"
        self.killed(out, "write:*/state.bin:3")
        self.tenon("run", "--resume", out, "--quiet", code=-9, die_at="rename:*/checkpoints/last:2")
        self.assert_resumes(out)

    def test_before_the_first_checkpoint(self):
        out = self.folder / "killed"
        self.killed(out, "write:*/metrics.jsonl:2")
        self.assertFalse(any((out / "checkpoints").iterdir()))
        resumed = self.assert_resumes(out)
        self.assertIn(f"there is no checkpoint in {out} yet: the run starts at frame 0", resumed["notices"])

    def test_without_evaluations_from_a_checkpoint_by_the_clock(self):
        none = ["--set", "eval.every_frames=0", "--set", "checkpoint.every_frames=0", "--set", "checkpoint.every_seconds=0"]
        whole = self.run_to("whole", *none)
        out = self.folder / "killed"
        self.killed(out, "write:*/state.bin:2", *none[:-1], "checkpoint.every_seconds=1e-3")
        self.assertEqual(len([p for p in (out / "checkpoints").iterdir() if p.name.isdigit()]), 1)
        self.assertLess(self.last_frames(out), 10_000)
        self.assertEqual(self.train("--resume", out)["notices"], "")
        self.assertEqual(without_time(out), without_time(whole))
        self.assertEqual(parameters(out), parameters(whole))

    def test_before_there_is_a_run(self):
        out = self.folder / "killed"
        self.killed(out, "write:*/.manifest.lock.toml.tmp-*:1")
        refused = self.tenon("run", "--resume", out, code=2)
        self.assertEqual(refused.stderr, f"error: there is no run in {out}: it has no manifest.lock.toml\n")
        self.train(self.manifest, "--out", out)
        self.assert_same_run(self.whole, out)


if __name__ == "__main__":
    unittest.main()
