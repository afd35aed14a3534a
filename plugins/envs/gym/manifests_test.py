#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manifests that train on environments of other packages, for some frames: nothing is written for them.

TENON is the program, WORLDS_PYTHON an interpreter with minigrid and highway-env; without one the test is skipped."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MANIFESTS = Path(__file__).resolve().parents[3] / "manifests"
TENON = os.environ["TENON"]
PYTHON = os.environ["WORLDS_PYTHON"]


def tenon(*words, code=0):
    done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=400)
    if done.returncode != code:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout + done.stderr


class Manifests(unittest.TestCase):
    def train(self, name, frames, *sets):
        """The last line of a short run without evaluations."""
        words = [f'env.python="{PYTHON}"', f"run.total_frames={frames}", "eval.every_frames=0", "env.workers=1", *sets]
        with tempfile.TemporaryDirectory() as folder:
            said = tenon("run", MANIFESTS / name, "--quiet", "--json", "--out", Path(folder) / "run",
                         *(word for setting in words for word in ("--set", setting)))
        return json.loads(said.splitlines()[-1])

    def test_minigrid_trains(self):
        told = self.train("gym_minigrid.toml", 1024, "train.batch=512")
        self.assertEqual((told["frames"], told["updates"]), (1024, 16))

    def test_highway_trains(self):
        told = self.train("gym_highway.toml", 96, "train.start_frames=32")
        self.assertEqual((told["frames"], told["updates"] > 0), (96, True))

    def test_a_matrix_for_a_network_of_rows_is_refused_with_what_helps(self):
        text = (MANIFESTS / "gym_highway.toml").read_text()
        plain = text.replace('[[env.transforms]]\nplugin = "standard/flatten"\n', "")
        self.assertNotEqual(plain, text)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.toml"
            path.write_text(plain)
            said = tenon("validate", path, "--set", f'env.python="{PYTHON}"', code=2)
        self.assertIn("column 'observation' has rows of 2 dimensions, but this network reads rows of one; the transform "
                      "standard/flatten makes one of them", " ".join(said.split()))


if __name__ == "__main__":
    if not os.path.exists(PYTHON):
        print(f"skipped: there is no {PYTHON}; ./test makes it")
        sys.exit(77)
    unittest.main(verbosity=2)
