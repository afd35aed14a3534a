# SPDX-License-Identifier: Apache-2.0
"""What tests of datasets share. TENON is the program, DATA_PYTHON an interpreter with minari and h5py; without one the tests
are skipped."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "support"))
from patience import PATIENCE  # noqa: E402

TENON = os.environ["TENON"]
PYTHON = os.environ["DATA_PYTHON"]
ROOT = Path(__file__).resolve().parents[3]


def main():
    asked = subprocess.run([PYTHON, "-c", "import minari, h5py"], capture_output=True, text=True) if Path(PYTHON).exists() else None
    if asked is None or asked.returncode != 0:
        print(f"skipped: {PYTHON} has no minari with h5py; ./test brings them into .deps/python")
        sys.exit(77)
    unittest.main()


class DataCase(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="tenon-data-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def tenon(self, *words, code=0, **variables):
        environment = {k: v for k, v in os.environ.items() if k != "TENON_PLUGIN_PATH"}
        # libhdf5 is the one in this environment's h5py.
        environment |= {"VIRTUAL_ENV": str(Path(PYTHON).parent.parent)} | variables
        done = subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, cwd=self.folder,
                              env=environment)
        self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def object(self, *words, **more):
        return json.loads(self.tenon(*words, "--json", **more).stdout.splitlines()[-1])

    def refused(self, sentence, *words, code=2, **more):
        told = self.tenon(*words, code=code, **more).stderr
        self.assertIn(sentence, told)
        return told

    def python(self, script, *words):
        """The JSON that a script prints."""
        done = subprocess.run([PYTHON, "-W", "ignore", "-c", script, *map(str, words)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout or "null")
