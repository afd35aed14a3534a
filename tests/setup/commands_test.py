# SPDX-License-Identifier: Apache-2.0
"""cmake/command.cmake and cmake/only.cmake in a small project: which commands the table has, and which of them are built."""

import re
import shutil
import unittest

from small_project import SmallProject


class Commands(SmallProject):
    TEXT = """
function(tenon_link_names result)
  set(${result} ${ARGN} PARENT_SCOPE)
endfunction()
add_library(tenon_core INTERFACE)
add_library(third_party::program_options INTERFACE IMPORTED)
include(command)
add_subdirectory(host)
"""
    HOST = """
tenon_add_commands(table commands)
file(WRITE "${CMAKE_BINARY_DIR}/linked.txt" "${commands}")
file(WRITE "${CMAKE_BINARY_DIR}/kernels.txt" "${TENON_KERNELS}")
"""

    def setUp(self):
        super().setUp()
        self.add("host", self.HOST)
        for name, words in (("watch_it", "GROUP watch SUMMARY look STARTS go"), ("go", "GROUP train SUMMARY train"),
                            ("idle", "GROUP train SUMMARY nothing")):  # fmt: skip
            self.add_command(name, words)

    def add_command(self, name, words):
        self.add(f"host/commands/{name}", f"tenon_command({name} {words} SOURCES command.cpp)", "command.cpp")

    def table(self):
        self.configure()
        rows = re.findall(r'\{"(\w+)", "\w+", "\w+", (\w+)\}', self.read("host/commands.cpp"))
        self.assertEqual([f"tenon_command_{name}" for name, run in rows if run != "nullptr"], self.read("linked.txt").split(";"))
        return rows

    def test_a_folder_is_a_command(self):
        self.assertEqual(self.table(), [("go", "command_go"), ("idle", "command_idle"), ("watch_it", "command_watch_it")])
        self.add_command("early", "GROUP train SUMMARY first")
        shutil.rmtree(self.folder / "host" / "commands" / "idle")
        self.assertEqual([name for name, _ in self.table()], ["early", "go", "watch_it"])

    def test_a_folder_of_shared_is_a_library_and_no_command(self):
        self.add("host/commands/shared/go", "tenon_host_library(go SOURCES go.cpp)", "go.cpp")
        before = self.table()
        self.assertIn("tenon_go", self.read("build.ninja"))
        self.assertEqual(before, [("go", "command_go"), ("idle", "command_idle"), ("watch_it", "command_watch_it")])

    def test_only_what_was_asked_for_is_linked(self):
        self.only("watch_it")
        self.assertEqual(self.table(), [("go", "command_go"), ("idle", "nullptr"), ("watch_it", "command_watch_it")])
        self.assertEqual(self.read("kernels.txt"), "OFF")
        self.only("idle", "kernels")
        self.assertEqual(self.table(), [("go", "nullptr"), ("idle", "command_idle"), ("watch_it", "nullptr")])
        self.assertEqual(self.read("kernels.txt"), "")
        self.only()
        self.assertEqual([run for _, run in self.table()], ["command_go", "command_idle", "command_watch_it"])

    def test_mistakes_are_told(self):
        self.add_command("odd", "GROUP none SUMMARY odd")
        run = self.configured()
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("tenon_command(odd): it needs a SUMMARY, and a GROUP of: train;score;watch", " ".join(run.stderr.split()))


if __name__ == "__main__":
    unittest.main()
