#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mistakes in manifests of MuJoCo's envs: each at its own place, and all of them at once. Models in written manifests."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
SATELLITE = Path(__file__).resolve().parents[3] / "manifests" / "satellite.xml"
PACKAGES = Path(__file__).resolve().parents[3] / ".deps" / "mujoco" / "mujoco" / "packages"
MANIFEST = """[run]
total_frames = 16
[env]
plugin = "{plugin}"
{env}
[policy.actor]
plugin = "random/random"
"""


class Mistakes(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def validate(self, plugin, env, **variables):
        (self.folder / "m.toml").write_text(MANIFEST.format(plugin=plugin, env=env))
        return self.tenon("validate", "m.toml", **variables)

    def tenon(self, *words, **variables):
        return subprocess.run([TENON, *words], cwd=self.folder, env={**os.environ, "NO_COLOR": "1", **variables},
                              capture_output=True, text=True, timeout=PATIENCE)

    def refused(self, plugin, env, **variables):
        """What validate says of the mistakes of the user."""
        done = self.validate(plugin, env, **variables)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_all_mistaken_expressions_are_told_each_at_its_place(self):
        said = self.refused("mujoco/mjcf", f'model = "{SATELLITE}"\nobservation = ["qpos", "qvle", "1 +"]\n'
                                           'reward = "1 - qvle[0]"\nterminated = "qpos"')
        self.assertEqual(said.count("error: "), 4, said)
        for sentence, line, column in (("option 'observation', character 1 of \"qvle\": there is no 'qvle'", 6, 25),
                                       ("option 'observation', character 4 of \"1 +\": it ends where a value is expected", 6, 36),
                                       ("option 'reward', character 5 of \"1 - qvle[0]\": there is no 'qvle'", 7, 15),
                                       ("option 'terminated' is one number, and \"qpos\" is a list of 7", 8, 14)):
            with self.subTest(sentence):
                at = said.index("error: mujoco/mjcf: " + sentence)
                self.assertIn(f" --> m.toml:{line}:{column}\n", said[at:said.find("error: ", at + 1)])

    def test_a_model_that_cannot_be_read_is_told_where_it_is_named(self):
        (self.folder / "broken.xml").write_text("<mujoco>\n<wrldbody/>\n</mujoco>\n")
        for model, said in (("none.xml", "none.xml"), ("broken.xml", "line 2")):
            with self.subTest(model):
                told = self.refused("mujoco/mjcf", f'model = "{model}"\nreward = "0"')
                self.assertIn("error: mujoco/mjcf: option 'model': MuJoCo cannot read ", told)
                self.assertIn(said, told.split("\n")[0])
                self.assertIn(" --> m.toml:5:9\n", told)

    def test_a_model_of_a_package_that_is_not_installed_is_a_mistake_of_the_user(self):
        nowhere = dict.fromkeys(("PATH", "HOME", "TENON_PYTHON", "VIRTUAL_ENV"), str(self.folder / "nowhere"))  # the home is made
        for package, plugin in (("gymnasium", "mujoco/Ant-v5"), ("dm_control", "dm_control/cheetah-run")):
            if package == "dm_control":
                self.assertIn("(model: Python package dm_control)", self.tenon("list", "dm_control/cheetah").stdout)
                part = next(each for each in json.loads(self.tenon("doctor", "--json", **nowhere).stdout)["parts"] if each["name"] == "models of dm_control")
                self.assertEqual(part["missing"] is None, (PACKAGES / package).exists(), part)
            if (PACKAGES / package).exists():  # the set-up of this clone has brought the models
                self.assertEqual(self.validate(plugin, "", **nowhere).returncode, 0)
            else:
                self.assertIn(f"install it with: pip install '{package}", self.refused(plugin, "", **nowhere))


class Written(unittest.TestCase):
    def test_a_model_below_the_manifest_that_init_writes_stays_relative(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = Path(holder.name).resolve()
        for name in ("models", "other"):
            (folder / name).mkdir()
        shutil.copy(SATELLITE, folder / "models" / "plate.xml")
        env = '[env]\nplugin = "mujoco/mjcf"\nmodel = "plate.xml"\nreward = "0"\nmax_episode_steps = 9\n'
        (folder / "models" / "env.toml").write_text(env)
        for out, model in (("m.toml", "models/plate.xml"), ("models/m.toml", "plate.xml"), ("other/m.toml", str(folder / "models" / "plate.xml"))):
            for words in (["init", "ppo", "models/env.toml", "--out", out], ["validate", out]):
                done = subprocess.run([TENON, *words], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(tomllib.loads((folder / out).read_text())["env"]["model"], model)


if __name__ == "__main__":
    unittest.main()
