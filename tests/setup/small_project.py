# SPDX-License-Identifier: Apache-2.0
"""A small project of CMake's that uses parts of cmake/, in a folder of its own."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

# What cmake/precompiled.cmake and cmake/batches.cmake define, and the parts.
BEGINS = f"""cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{Path(__file__).resolve().parents[2]}/cmake")
function(tenon_precompile)
endfunction()
function(tenon_batch)
endfunction()
add_library(tenon_warnings INTERFACE)
include(only)
"""


class SmallProject(unittest.TestCase):
    TEXT = ""  # what follows BEGINS

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon small "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.build = self.folder / "build"
        self.build.mkdir()
        (self.folder / "CMakeLists.txt").write_text(BEGINS + self.TEXT, encoding="utf-8")

    def add(self, folder, text, *files):
        """A folder with this CMakeLists.txt and files without content."""
        (self.folder / folder).mkdir(parents=True)
        (self.folder / folder / "CMakeLists.txt").write_text(text + "\n", encoding="utf-8")
        for name in files:
            (self.folder / folder / name).touch()

    def only(self, *lines):
        """Writes only.txt; without lines there is none."""
        (self.build / "only.txt").unlink(missing_ok=True)
        if lines:
            (self.build / "only.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def read(self, file):
        return (self.build / file).read_text(encoding="utf-8")

    def configured(self):
        words = [os.environ["CMAKE"], "-S", self.folder, "-B", self.build, "-G", os.environ["CMAKE_GENERATOR"],
                 f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}", "-DCMAKE_CXX_COMPILER_WORKS=ON"]  # fmt: skip
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def configure(self):
        run = self.configured()
        self.assertEqual(run.returncode, 0, run.stderr)
