#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C writes a checkpoint and leaves (long rounds: long_rounds_test.py); a run folder has one writer."""

import json
import re
import shlex
import signal
import unittest

from runs import TENON, RunCase


class Interrupt(RunCase):
    def begin(self, out, records, *words):
        process = self.start("run", self.manifest, "--quiet", "--json", "--out", out, *words)
        self.wait_for(process, self.has_records(out, records))
        return process

    def test_leaves_with_a_checkpoint_and_goes_on_from_it(self):
        whole = self.folder / "whole"
        self.train(self.manifest, "--out", whole)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number.name):
                out = self.folder / f"out-{number}"
                process = self.begin(out, 6)
                process.send_signal(number)
                output, errors = process.communicate()
                self.assertEqual((process.returncode, errors), (0, ""))
                frames = json.loads(output)["frames"]
                self.assertLess(frames, 10_000)
                self.assertEqual(self.last_frames(out), frames)
                self.train("--resume", out)
                self.assert_same_run(whole, out)

    def test_says_how_to_go_on(self):
        out = self.folder / "out"
        process = self.start("run", self.manifest, "--out", out)
        self.wait_for(process, self.has_records(out, 2))
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        self.assertTrue(output.startswith("stopped at "), output)
        self.assertTrue(output.endswith(f"continue with: {shlex.quote(str(TENON))} run --resume {out}\n"), output)

    def test_the_way_to_go_on_can_be_typed(self):
        out = self.folder / "an 'out'"
        process = self.start("run", self.manifest, "--quiet", "--out", out)
        self.wait_for(process, self.has_records(out, 2))
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        typed = re.search(r"^continue with: (.*)$", output, re.MULTILINE)[1]
        self.assertEqual(shlex.split(typed), [TENON, "run", "--resume", str(out)])

    def test_the_table_is_that_of_the_end_not_of_the_last_record(self):
        out = self.folder / "out"
        process = self.start("run", self.manifest, "--quiet", "--out", out, "--set", "log.every_frames=100_000")
        self.wait_for(process, self.has_records(out, 1))
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        frames, updates = re.match(r"stopped at (\d+) frames, (\d+) updates,", output).groups()
        told = dict(line.split() for line in output.splitlines() if line.startswith("  "))
        self.assertEqual((told["frames"], told["train/n_updates"]), (frames, updates))
        self.assertIn("train/loss", told)
        self.assertEqual(frames, str(self.last_frames(out)))

    def test_a_second_process_is_kept_out(self):
        out = self.folder / "out"
        process = self.begin(out, 1, "--set", "run.total_frames=1_000_000_000")
        refused = self.tenon("run", "--resume", out, code=2)
        self.assertEqual(refused.stderr,
                         f"error: another process is writing the run in {out} (process {process.pid})\n")
        again = self.tenon("run", self.manifest, "--out", out, code=2)
        self.assertEqual(len(again.stderr.splitlines()), 1)
        self.assertIn(f"{out} already contains a run; resume it with --resume {out}", again.stderr)


if __name__ == "__main__":
    unittest.main()
