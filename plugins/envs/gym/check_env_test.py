#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gymnasium's own check_env over what the bridge makes of environments that have another interface."""

import json
import os
import subprocess
import sys
import unittest

from worlds_case import HERE, PYTHON, main

sys.path.insert(0, str(HERE.parents[2] / "tests" / "support"))
from patience import PATIENCE  # noqa: E402

CHECK = """
import importlib.util, json, sys, warnings
folder, config = sys.argv[1], json.loads(sys.argv[2])
place = importlib.util.spec_from_file_location("tenon_worker", folder + "/__init__.py", submodule_search_locations=[folder])
package = sys.modules["tenon_worker"] = importlib.util.module_from_spec(place)
place.loader.exec_module(package)
from gymnasium.utils.env_checker import check_env
from tenon_worker.environments import make_one
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    env = make_one(config)
    seen.clear()  # of what the packages say when they are loaded
    check_env(env, skip_render_check=True)
    env.close()
for warning in seen:
    print(warning.message)
"""
GAME = {"obs": "grey", "frame_skip": 1, "repeat_action_probability": 0.25, "full_action_space": False, "mode": -1,
        "difficulty": -1, "max_frames": 108000}


class CheckEnv(unittest.TestCase):
    def check(self, id, vector="", known="", **kwargs):
        """Only warnings with `known` in them are fine."""
        config = {"id": id, "name": id, "kwargs": kwargs, "vector": vector, "max_episode_steps": -1, "folder": ""}
        done = subprocess.run([PYTHON, "-c", CHECK, HERE / "tenon_worker", json.dumps(config)], capture_output=True, text=True,
                              timeout=PATIENCE, env={**os.environ, "PYTHONPATH": str(HERE)})
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        unknown = [line for line in done.stdout.split("\n") if line.strip() and not (known and known in line)]
        self.assertEqual(unknown, [])

    def test_environments_of_dm_env(self):
        self.check("worlds:DmSteps")

    def test_atari_games(self):
        for obs in ("grey", "rgb", "ram"):
            with self.subTest(obs):
                self.check("atari:pong", **{**GAME, "obs": obs})

    def test_games_of_open_spiel(self):
        for game in ("tic_tac_toe", "kuhn_poker", "connect_four"):
            with self.subTest(game):
                self.check("open_spiel:" + game, known="infinity")  # tensors have no bounds

    def test_one_of_a_vector_environment(self):
        for id in ("CartPole-v1", "FrozenLake-v1"):
            with self.subTest(id):
                self.check(id, vector="make_vec", known="infinity")  # CartPole's velocities


if __name__ == "__main__":
    main()
