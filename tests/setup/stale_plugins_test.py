# SPDX-License-Identifier: Apache-2.0
"""What becomes of a plugin in the build folder when its own folder is deleted, or its target gets another name. In a small
tree with the build of this one."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(small VERSION 0.1.0 LANGUAGES C)
list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/cmake")
include(layout)
add_library(tenon_warnings INTERFACE)
add_subdirectory(plugin_api)
add_subdirectory(sdk)
tenon_add_plugin_folders()
"""
PLUGIN = "const int tn_plugin_entry_v1 = {};\n"


class StalePlugins(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon stale "))
        self.addCleanup(shutil.rmtree, self.folder)
        for name in ("cmake", "plugin_api", "sdk"):
            shutil.copytree(ROOT / name, self.folder / name)
        (self.folder / "CMakeLists.txt").write_text(PROJECT)
        self.add("one", "first")
        self.add("two", "second")
        self.run_cmake("-S", self.folder, "-B", self.folder / "build", "-G", os.environ["CMAKE_GENERATOR"],
                       f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}")
        self.build()
        (self.plugins / "own.so").write_bytes(b"put here by hand")

    @property
    def plugins(self):
        return self.folder / "build" / "lib" / "tenon" / "plugins"

    def add(self, folder, target):
        place = self.folder / "plugins" / "envs" / folder
        place.mkdir(parents=True, exist_ok=True)
        (place / "CMakeLists.txt").write_text(f"tenon_add_plugin({target} plugin.c)\n")
        (place / "plugin.c").write_text(PLUGIN.format(len(target)))

    def run_cmake(self, *arguments):
        words = [os.environ["CMAKE"], *(str(argument) for argument in arguments)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def build(self):
        """Configures anew by itself where a folder has come or gone."""
        self.run_cmake("--build", self.folder / "build")

    def made(self):
        return sorted(path.stem for path in self.plugins.glob("*.so"))

    def test_a_deleted_folder(self):
        self.assertEqual(self.made(), ["first", "own", "second"])
        shutil.rmtree(self.folder / "plugins" / "envs" / "two")
        self.build()
        self.assertEqual(self.made(), ["first", "own"])
        self.add("two", "second")
        self.build()
        self.assertEqual(self.made(), ["first", "own", "second"])

    def test_another_name(self):
        self.add("two", "third")
        self.build()
        self.assertEqual(self.made(), ["first", "own", "third"])

    def test_a_moved_folder(self):
        (self.folder / "plugins" / "envs" / "two").rename(self.folder / "plugins" / "envs" / "three")
        self.build()
        self.assertEqual(self.made(), ["first", "own", "second"])


if __name__ == "__main__":
    unittest.main()
