# SPDX-License-Identifier: Apache-2.0
"""cmake/command.cmake and cmake/only.cmake in a small project: which commands the table has, and which of them are built."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(commands LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH "{ROOT}/cmake")
function(tenon_precompile)
endfunction()
function(tenon_batch)
endfunction()
function(tenon_link_names result)
  set(${{result}} ${{ARGN}} PARENT_SCOPE)
endfunction()
add_library(tenon_core INTERFACE)
add_library(tenon_warnings INTERFACE)
add_library(third_party::program_options INTERFACE IMPORTED)
include(only)
include(command)
add_subdirectory(host)
"""
HOST = """tenon_add_commands(table commands)
file(WRITE "${CMAKE_BINARY_DIR}/linked.txt" "${commands}")
file(WRITE "${CMAKE_BINARY_DIR}/kernels.txt" "${TENON_KERNELS}")
"""


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="tenon commands "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.build = self.folder / "build"
        (self.folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (self.folder / "host").mkdir()
        (self.folder / "host" / "CMakeLists.txt").write_text(HOST, encoding="utf-8")
        for name, words in (("watch_it", "GROUP watch SUMMARY look STARTS go"), ("go", "GROUP train SUMMARY train"),
                            ("idle", "GROUP train SUMMARY nothing")):  # fmt: skip
            self.add(name, words)

    def add(self, name, words):
        folder = self.folder / "host" / "commands" / name
        folder.mkdir(parents=True)
        (folder / "CMakeLists.txt").write_text(f"tenon_command({name} {words} SOURCES command.cpp)\n", encoding="utf-8")
        (folder / "command.cpp").write_text("", encoding="utf-8")

    def configure(self):
        words = [os.environ["CMAKE"], "-S", self.folder, "-B", self.build, "-G", os.environ["CMAKE_GENERATOR"],
                 f"-DCMAKE_MAKE_PROGRAM={os.environ['MAKE_PROGRAM']}"]  # fmt: skip
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def table(self):
        run = self.configure()
        self.assertEqual(run.returncode, 0, run.stderr)
        table = (self.build / "host" / "commands.cpp").read_text(encoding="utf-8")
        linked = (self.build / "linked.txt").read_text(encoding="utf-8").split(";")
        rows = re.findall(r'\{"(\w+)", "\w+", "\w+", (\w+)\}', table)
        self.assertEqual([f"tenon_command_{name}" for name, run in rows if run != "nullptr"], linked)
        return rows

    def test_a_folder_is_a_command(self):
        self.assertEqual(self.table(), [("go", "command_go"), ("idle", "command_idle"), ("watch_it", "command_watch_it")])
        self.add("early", "GROUP train SUMMARY first")
        shutil.rmtree(self.folder / "host" / "commands" / "idle")
        self.assertEqual([name for name, _ in self.table()], ["early", "go", "watch_it"])

    def test_a_folder_of_shared_is_a_library_and_no_command(self):
        folder = self.folder / "host" / "commands" / "shared" / "go"
        folder.mkdir(parents=True)
        (folder / "CMakeLists.txt").write_text("tenon_host_library(go SOURCES go.cpp)\n", encoding="utf-8")
        (folder / "go.cpp").write_text("", encoding="utf-8")
        before = self.table()
        self.assertIn("tenon_go", (self.build / "build.ninja").read_text(encoding="utf-8"))
        self.assertEqual(before, [("go", "command_go"), ("idle", "command_idle"), ("watch_it", "command_watch_it")])

    def test_only_what_was_asked_for_is_linked(self):
        self.build.mkdir()
        (self.build / "only.txt").write_text("watch_it\n", encoding="utf-8")
        self.assertEqual(self.table(), [("go", "command_go"), ("idle", "nullptr"), ("watch_it", "command_watch_it")])
        self.assertEqual((self.build / "kernels.txt").read_text(encoding="utf-8"), "OFF")
        (self.build / "only.txt").write_text("idle\nkernels\n", encoding="utf-8")
        self.assertEqual(self.table(), [("go", "nullptr"), ("idle", "command_idle"), ("watch_it", "nullptr")])
        self.assertEqual((self.build / "kernels.txt").read_text(encoding="utf-8"), "")
        (self.build / "only.txt").unlink()
        self.assertEqual([run for _, run in self.table()], ["command_go", "command_idle", "command_watch_it"])

    def test_mistakes_are_told(self):
        self.add("odd", "GROUP none SUMMARY odd")
        run = self.configure()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("tenon_command(odd): it needs a SUMMARY, and a GROUP of: train;score;watch", " ".join(run.stderr.split()))


if __name__ == "__main__":
    unittest.main()
