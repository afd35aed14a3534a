#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every plugin of this repository keeps to the contract: PLUGINS is the folder that they are built into. wired_test.py has those that
a manifest wires."""

import os
import unittest
from pathlib import Path

from checked import FIXTURES, checked, failures

PLUGINS = Path(os.environ["PLUGINS"])

# Components that need an option, in words that suit what a check has to offer.
GIVEN = {
    "replay/by_column": ('column="reward"', "beta=1"),
    "standard/action_discretise": ('take="random"',),
    "standard/action_flatten": ('columns=["action"]',),
    "standard/action_mask": ('from="legal"',),
    "standard/action_project": ("choices=9",),
    "standard/cast": ('columns=["observation"]',),
    "standard/cat_columns": ('columns=["observation"]',),
    "standard/denormalise": ('mean="observation"', 'std="observation"'),
    "standard/exclude_columns": ('columns=["aside"]',),
    "standard/observation_norm": ('columns=["observation", "aside"]', "decay=0.9", "statistics=true"),
    "standard/primer": ('column="skill"', 'draw="normal"', "shape=[2]"),
    "standard/rename": ('columns=["observation"]', 'to=["seen"]'),
    "standard/select_columns": ('columns=["observation"]',),
    "standard/select_indices": ("indices=[2, 0]",),
    "standard/target_return": ("target=3",),
    "standard/terminate": ('column="observation"',),
    "standard/time_limit": ("max_steps=7",),
    "wrap/frame_skip": (),
    "wrap/imagined": (),
    "wrap/macro_action": ('sequences=["0 1", "2"]',),
    "wrap/max_frame_skip": (),
    "wrap/pixels": ("height=5", "width=4", "grey=false"),
    "wrap/random_time_limit": ("most=7",),
}

# Pictures of the usual size take most of the time, and fewer lanes find as much.
SMALLER = {"standard": ("--set", "height=3", "--set", "width=2", "--set", "top=1", "--set", "left=1"),
           "wrap": ("--set", "height=9", "--set", "width=8")}  # fmt: skip
LANES = ("--lanes", 6)

# Those of which one check is skipped: this one takes no priorities.
SKIPS_ONE = ("replay/by_column",)

# simulations_test.py checks these.
SIMULATIONS = ("atari", "mujoco", "dm_control")

class Plugins(unittest.TestCase):
    def test_all_pass(self):
        plugins = sorted(PLUGINS.glob("*.so"))
        self.assertGreater(len(plugins), 10)
        for plugin in plugins:
            if plugin.stem in SIMULATIONS:
                continue
            with self.subTest(plugin.stem):
                code, report = checked(plugin, *SMALLER.get(plugin.stem, ()), *LANES)
                self.assertEqual((code, failures(report)), (0, {}))
                self.assertGreater(report["passed"], 0)
                print(f"{plugin.stem}: {report['passed']} passed, {report['skipped']} skipped, {report['seconds']:.2f} s")

    def test_those_that_need_an_option_pass_with_it(self):
        for name, sets in GIVEN.items():
            library, component = name.split("/")
            words = [word for text in sets for word in ("--set", text)]
            with self.subTest(name):
                code, report = checked(PLUGINS / f"{library}.so", "--component", component, *words, *LANES)
                self.assertEqual((code, failures(report), report["skipped"]), (0, {}, int(name in SKIPS_ONE)))

    def test_inverted_actions_that_keep_their_spec_pass(self):
        for to in ("action", "move"):
            with self.subTest(to):
                code, report = checked(FIXTURES / "mirrors" / "mirrors.so", "--set", f'to="{to}"')
                self.assertEqual((code, failures(report)), (0, {}))


if __name__ == "__main__":
    unittest.main()
