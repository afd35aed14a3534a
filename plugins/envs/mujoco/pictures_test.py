#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of MuJoCo from the command line: a video of a checkpoint, pixels as observations, and what is said on a machine
that cannot draw."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
SATELLITE = Path(__file__).resolve().parents[3] / "manifests" / "satellite.xml"
MANIFEST = """
[run]
total_frames = 16

[env]
plugin = "mujoco/mjcf"
model = "{model}"
reward = "qvel[0]"
qvel_noise = 1
frame_skip = 10
width = 64
height = 48
max_episode_steps = 8
{env}
[policy.actor]
plugin = "random/random"

[eval]
every_frames = 16
episodes = 1
{eval}
"""
PIXELS = """
[[env.wrappers]]
plugin = "wrap/pixels"
"""


class Pictures(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def tenon(self, *words, status=0, **variables):
        done = subprocess.run([TENON, *words], cwd=self.folder, env={**os.environ, "NO_COLOR": "1", **variables},
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def write(self, env="", evaluation=""):
        (self.folder / "m.toml").write_text(MANIFEST.format(model=SATELLITE, env=env, eval=evaluation))

    def need_pictures(self):
        self.write(evaluation="video = true")
        done = subprocess.run([TENON, "validate", "m.toml"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        if "pictures need OpenGL" in done.stderr:
            self.skipTest(done.stderr.split("\n")[0])

    def without_opengl(self):
        """Variables of an environment in which no library of OpenGL can be opened."""
        hidden = self.folder / "hidden"
        hidden.mkdir()
        for name in ("libEGL.so.1", "libEGL.so", "libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
            (hidden / name).write_text("")
        return {"LD_LIBRARY_PATH": str(hidden), "MUJOCO_GL": ""}

    def test_a_video_of_a_checkpoint_shows_every_step(self):
        self.need_pictures()
        self.tenon("run", "m.toml", "--quiet", "--out", "run")
        done = self.tenon("play", "run", "--video", "a.png", "--episodes", "2")
        self.assertIn("18 pictures in a.png", done.stdout)
        self.assertTrue(list((self.folder / "run/checkpoints/best").glob("video.*")))

    def test_a_policy_may_see_pictures(self):
        self.need_pictures()
        self.write(env=PIXELS)
        self.tenon("run", "m.toml", "--quiet", "--out", "run")
        self.assertRegex(self.tenon("explain", "m.toml").stdout, r"observation +uint8 +\[1, 84, 84\]")

    def test_a_machine_without_opengl_is_told_what_to_install_and_runs_without_pictures(self):
        nowhere = self.without_opengl()
        self.write()
        self.tenon("run", "m.toml", "--quiet", "--out", "run", **nowhere)
        said = self.tenon("play", "run", "--video", "a.png", status=4, **nowhere).stderr
        self.assertIn("mujoco/mjcf, describe: pictures need OpenGL, and there is neither EGL (", said)
        self.assertIn("libEGL.so.1: file too short) nor OSMesa (", said)
        self.assertIn("install one, on Debian with: apt-get install -y libosmesa6", said)

    def test_a_choice_that_is_missing_is_named_before_a_run_begins(self):
        nowhere = self.without_opengl()
        self.write(evaluation="video = true")
        for choice, package in (("egl", "libegl1 libgl1-mesa-dri"), ("osmesa", "libosmesa6")):
            nowhere["MUJOCO_GL"] = choice
            said = self.tenon("validate", "m.toml", status=4, **nowhere).stderr
            self.assertIn("MUJOCO_GL names " + {"egl": "EGL", "osmesa": "OSMesa"}[choice], said)
            self.assertIn(f"install it, on Debian with: apt-get install -y {package}", said)
            self.assertIn("m.toml:21:9", said)

    def test_pixels_of_an_env_that_cannot_draw_say_why(self):
        self.write(env=PIXELS)
        said = self.tenon("validate", "m.toml", status=4, **self.without_opengl()).stderr
        self.assertIn("wrap/pixels, describe: pictures need OpenGL", said)

    def test_an_egl_without_devices_is_one_that_cannot_draw(self):
        self.write()
        self.tenon("run", "m.toml", "--quiet", "--out", "run")
        said = self.tenon("play", "run", "--video", "a.png", status=4, MUJOCO_GL="egl", MUJOCO_EGL_DEVICE_ID="99").stderr
        self.assertRegex(said, "MUJOCO_EGL_DEVICE_ID is '99', and EGL has [0-9]+ devices|missing \\(libEGL|EGL has no device")


if __name__ == "__main__":
    unittest.main()
