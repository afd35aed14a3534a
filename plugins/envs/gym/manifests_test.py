#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Manifests that train on environments of other packages, for some frames: nothing is written for them."""

import json
from pathlib import Path

from worlds_case import PYTHON, PythonCase, main

MANIFESTS = Path(__file__).resolve().parents[3] / "manifests"


class Manifests(PythonCase):
    patience = 400

    def train(self, name, frames, *sets):
        """The last line of a short run without evaluations."""
        words = [f'env.python="{PYTHON}"', f"run.total_frames={frames}", "eval.every_frames=0", "env.workers=1", *sets]
        said = self.tenon("run", MANIFESTS / name, "--quiet", "--json", "--out", "run",
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
        (self.folder / "m.toml").write_text(plain)
        said = self.tenon("validate", "m.toml", "--set", f'env.python="{PYTHON}"', code=2)
        self.assertIn("column 'observation' has rows of 2 dimensions, but this network reads rows of one; the transform "
                      "standard/flatten makes one of them", " ".join(said.split()))


if __name__ == "__main__":
    main("minigrid, highway_env")
