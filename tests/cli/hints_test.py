#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What looks like a mistake and is none for the wiring: a warning, told once, and the command goes on."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
PICTURES = f"""
[run]
total_frames = 64

[plugins]
search = ["{os.environ["FIXTURES"]}"]

[env]
plugin = "choices/Pictures-v0"
lanes = 4

[policy.eye]
plugin = "cnn/convnet"
channels = [4]
size = 8
out = ["seen"]

[policy.actor]
plugin = "mlp/categorical"
in = ["seen"]

[policy.value]
plugin = "mlp/value"
in = ["seen"]

[objective]
plugin = "a2c/a2c"

[train]
batch = 64

[eval]
every_frames = 64
episodes = 1
"""
HINT = (
    "warning: cnn/convnet: column 'observation' is 8 by 8 by 3, as if its channels were last, but it is read as 8 channels; layout = \"hwc\" reads the last size as channels\n"
)


class Hints(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        (self.folder / "m.toml").write_text(PICTURES)

    def told(self, command, *words):
        environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
        done = subprocess.run([TENON, command, "m.toml", *words], capture_output=True, text=True, check=False,
                              cwd=self.folder, env=environment, timeout=PATIENCE)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_picture_whose_channels_seem_to_stand_last(self):
        self.assertEqual(self.told("validate"), HINT)
        self.assertEqual(self.told("explain"), HINT)
        self.assertEqual(self.told("run", "--quiet", "--out", "out"), HINT)

    def test_pictures_that_are_read_as_they_seem_to_be(self):
        self.assertEqual(self.told("validate", "--set", "policy.eye.layout=hwc"), "")
        for sizes in ("[3, 8, 8]", "[1, 10, 10]", "[32, 5, 4]", "[8, 8, 8]", "[4, 4, 4]"):
            with self.subTest(sizes):
                self.assertEqual(self.told("validate", "--set", f"env.sizes={sizes}"), "")


if __name__ == "__main__":
    unittest.main()
