# SPDX-License-Identifier: Apache-2.0
"""A clone without some engines and a command can be configured: nothing else needs their folders, and their tests go with them."""

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

    def link(self, folder, *without):
        """Links to what a folder of the clone has, but for some of its folders."""
        (self.folder / folder).mkdir(parents=True, exist_ok=True)
        for path in (ROOT / folder).iterdir():
            if path.name not in (*without, "build"):
                (self.folder / folder / path.name).symlink_to(path)

    def test_a_clone_without_devices_and_some_more(self):
        self.link(".", "core", "host")
        self.link("core", "engines")
        self.link("core/engines", "cuda", "link_zmq", "storage_disk", "writer_tensorboard")
        self.link("host", "commands")
        self.link("host/commands", "explain", "top")
        words = ["-S", self.folder, "-B", self.folder / "build", "-G", os.environ["CMAKE_GENERATOR"],
                 f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}", "-DCMAKE_C_COMPILER_WORKS=ON", "-DCMAKE_CXX_COMPILER_WORKS=ON"]  # fmt: skip
        run = subprocess.run([os.environ["CMAKE"], *words], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("Tests of devices are left out: there is no core/engines/cuda", run.stdout)
        for told in ("Tests of storage_disk are left out: there is no core/engines/storage_disk", "Tests of link_zmq are left out: there is no core/engines/link_zmq",
                     "Tests of records are without event_files_test.cpp: there is no core/engines/writer_tensorboard",
                     "Tests of storages are without storages_test.cpp: there is no host/commands/explain"):
            self.assertIn(told, run.stdout)
        rules = (self.folder / "build" / "build.ninja").read_text(encoding="utf-8")
        for gone in ("tenon_cuda", "tenon_writer_tensorboard", "tenon_command_explain", "test_storage_disk", "test_link_zmq"):
            self.assertFalse(gone in rules, gone)
        for target in ("bin/tenon", "tests/test_compiled", "tests/test_records", "tests/test_storages", "tests/test_train", "tests/test_torch"):
            self.assertTrue(f"build {target}:" in rules, target)


if __name__ == "__main__":
    unittest.main()
