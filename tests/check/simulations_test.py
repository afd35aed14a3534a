#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Simulations keep to the contract. Their components are formulas around the same code, so one stands for all."""

import os
import unittest
from pathlib import Path

from checked import checked, failures

PLUGINS = Path(os.environ["PLUGINS"])
COMPONENTS = {"atari": "Pong-v5", "mujoco": "HalfCheetah-v5", "dm_control": "cartpole-swingup"}
# What a check of a game takes is to start Python and to load the ROM in each lane, so it has one worker, few lanes and few checks. What
# is between the host and a Python process is checked whole by worlds.check_env, and that several workers give the same bytes by worlds.gym.
WORDS = {"atari": ("--set", "workers=1", "--lanes", 6,
                   "--only", "the same seeds and actions give the same bytes", "--only", "continues after loading as if it had never",
                   "--only", "respect the episode limit", "--only", "keeps the final observation"),
         "mujoco": ("--lanes", 6), "dm_control": ("--lanes", 6)}  # fmt: skip


class Simulations(unittest.TestCase):
    def test_all_pass(self):
        for plugin, component in COMPONENTS.items():
            if not (PLUGINS / f"{plugin}.so").exists():
                print(f"left out: {plugin}, which is not built on this machine")
                continue
            with self.subTest(plugin):
                code, report = checked(PLUGINS / f"{plugin}.so", "--component", component, *WORDS.get(plugin, ()))
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertGreater(report["passed"], 0)
                print(f"{plugin}: {report['passed']} passed, {report['skipped']} skipped, {report['seconds']:.2f} s")


if __name__ == "__main__":
    unittest.main()
