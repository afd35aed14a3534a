# SPDX-License-Identifier: Apache-2.0
"""cmake/core_area.cmake, cmake/kinds.cmake and cmake/only.cmake in a small project: which kinds the program has."""

import re
import unittest

from small_project import SmallProject


class Kinds(SmallProject):
    TEXT = """
add_library(tenon_plugin_api INTERFACE)
include(core_area)
include(kinds)
foreach(area source_ready storage_packed writer_plain)
  add_subdirectory("core/engines/${area}")
endforeach()
tenon_write_kinds(kinds areas)
get_property(compiled GLOBAL PROPERTY TENON_COMPILED_AREAS)
file(WRITE "${CMAKE_BINARY_DIR}/found.txt" "${areas}|${compiled}")
"""

    def setUp(self):
        super().setUp()
        for area, asked_by in (("source_ready", "ASKED_BY ready queue"), ("storage_packed", "ASKED_BY packed"), ("writer_plain", "")):
            self.add(f"core/engines/{area}", f"tenon_core_area({area} {asked_by} SOURCES kind.cpp)", "kind.cpp")

    def kinds(self, *only):
        """Those of the table, with the lines of only.txt, or without that file."""
        self.only(*only)
        self.configure()
        table = self.read("kinds.cpp")
        names = re.findall(r"&(\w+)\(\)", table)
        self.assertEqual(sorted(re.findall(r"Kind& (\w+)\(\);", table)), sorted(names))
        areas, compiled = self.read("found.txt").split("|")
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
