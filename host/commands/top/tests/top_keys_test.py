#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`tenon top` through a pseudo-terminal: what keys ask of a run that has ended."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "tests/support"))
from in_terminal import InTerminal  # noqa: E402


class TopKeys(unittest.TestCase):
    def test_an_ended_run_is_not_asked_to_stop_or_to_print(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        sets = ["run.total_frames=64", "eval.every_frames=0", 'run.executor="compiled"', "log.tensorboard=false"]
        words = ["run", "dqn", "CartPole-v1", "--quiet", "--out", "ended", *(word for text in sets for word in ("--set", text))]
        subprocess.run([os.environ["TENON"], *words], cwd=holder.name, check=True, capture_output=True)
        top = InTerminal(holder.name, "top", ".")
        self.addCleanup(lambda: (top.process.kill(), top.process.wait()))
        top.until("> ended")
        for key in "sl":
            top.press(key)
            top.until("ended is not running")
            top.press("j")
            top.until("q: quit")
        top.press("q")
        self.assertEqual(top.end(), 0)


if __name__ == "__main__":
    unittest.main()
