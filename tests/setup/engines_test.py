# SPDX-License-Identifier: Apache-2.0
"""A clone without core/engines/cuda can be configured: nothing else needs the folder."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Engines(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon engines "))
        self.addCleanup(shutil.rmtree, self.folder)

    def link(self, folder, without):
        """Links to what a folder of the clone has, but for one of its folders, which is made."""
        (self.folder / folder / without).mkdir(parents=True)
        for path in (ROOT / folder).iterdir():
            if path.name not in (without, "build"):
                (self.folder / folder / path.name).symlink_to(path)

    def test_a_clone_without_devices(self):
        self.link(".", "core")
        self.link("core", "engines")
        self.link("core/engines", "cuda")
        (self.folder / "core" / "engines" / "cuda").rmdir()
        words = ["-S", self.folder, "-B", self.folder / "build", "-G", os.environ["CMAKE_GENERATOR"],
                 f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}", "-DCMAKE_C_COMPILER_WORKS=ON", "-DCMAKE_CXX_COMPILER_WORKS=ON"]  # fmt: skip
        run = subprocess.run([os.environ["CMAKE"], *words], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Tests of devices are left out: there is no core/engines/cuda", run.stdout)
        rules = (self.folder / "build" / "build.ninja").read_text(encoding="utf-8")
        self.assertNotIn("tenon_cuda", rules)
        for target in ("bin/tenon", "tests/test_compiled", "tests/test_train", "tests/test_torch"):
            self.assertIn(f"build {target}:", rules)


if __name__ == "__main__":
    unittest.main()
