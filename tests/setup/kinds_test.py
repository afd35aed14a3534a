# SPDX-License-Identifier: Apache-2.0
"""cmake/core_area.cmake, cmake/kinds.cmake and cmake/only.cmake in a small project: which kinds the program has."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(kinds LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{ROOT}/cmake")
function(tenon_precompile)
endfunction()
function(tenon_batch)
endfunction()
add_library(tenon_plugin_api INTERFACE)
add_library(tenon_warnings INTERFACE)
include(only)
include(core_area)
include(kinds)
foreach(area source_ready storage_packed writer_plain)
  add_subdirectory("core/engines/${{area}}")
endforeach()
tenon_write_kinds(kinds areas)
get_property(compiled GLOBAL PROPERTY TENON_COMPILED_AREAS)
file(WRITE "${{CMAKE_BINARY_DIR}}/found.txt" "${{areas}}|${{compiled}}")
"""


class Kinds(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon kinds "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.build = self.folder / "build"
        self.build.mkdir()
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        for area, asked_by in (("source_ready", "ASKED_BY ready queue"), ("storage_packed", "ASKED_BY packed"), ("writer_plain", "")):
            folder = self.folder / "core" / "engines" / area
            folder.mkdir(parents=True)
            (folder / "CMakeLists.txt").write_text(f"tenon_core_area({area} {asked_by} SOURCES kind.cpp)\n", encoding="utf-8")
            for name in ("kind.cpp", "kind.hpp"):
                (folder / name).write_text("", encoding="utf-8")

    def kinds(self, *only):
        """Those of the table, with the lines of only.txt, or without that file."""
        (self.build / "only.txt").unlink(missing_ok=True)
        if only:
            (self.build / "only.txt").write_text("".join(f"{line}\n" for line in only), encoding="utf-8")
        words = [os.environ["CMAKE"], "-S", self.folder, "-B", self.build, "-G", os.environ["CMAKE_GENERATOR"],
                 f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}", "-DCMAKE_CXX_COMPILER_WORKS=ON"]  # fmt: skip
        run = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        table = (self.build / "kinds.cpp").read_text(encoding="utf-8")
        names = re.findall(r"&(\w+)\(\)", table)
        self.assertEqual(sorted(re.findall(r'"engines/(\w+)/kind.hpp"', table)), sorted(names))
        areas, compiled = ((self.build / "found.txt").read_text(encoding="utf-8")).split("|")
        self.assertEqual(sorted(areas.split(";")), sorted(names))
        self.assertEqual(sorted(compiled.split(";")), sorted(f"tenon_{name}" for name in names))
        return set(names)

    def test_only_what_was_asked_for_is_built(self):
        everything = {"source_ready", "storage_packed", "writer_plain"}
        self.assertEqual(self.kinds(), everything)
        self.assertEqual(self.kinds("run"), {"writer_plain"})
        self.assertEqual(self.kinds("run", "source_ready"), {"writer_plain", "source_ready"})
        self.assertEqual(self.kinds("run", "kinds"), everything)
        self.assertEqual(self.kinds(), everything)


if __name__ == "__main__":
    unittest.main()
