# SPDX-License-Identifier: Apache-2.0
"""What tools/clang_tidy.py remembers must fall when anything that a file reads changes."""

import shlex
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import clang_tidy  # noqa: E402


class Remembers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=clang_tidy.ROOT / "build")
        self.addCleanup(folder.cleanup)
        self.source = Path(folder.name) / "a.cpp"
        self.header = Path(folder.name) / "a.inc"
        self.source.write_text('#include "a.inc"\n', encoding="utf-8")
        self.header.write_text('#include "area/b.hpp"\nint a;\n', encoding="utf-8")
        self.deeper = Path(folder.name) / "area" / "b.hpp"
        self.deeper.parent.mkdir()
        self.deeper.write_text("int b;\n", encoding="utf-8")
        self.command = {"file": str(self.source), "command": f"c++ -O2 -I{clang_tidy.ROOT} -o area/a.cpp.o -c {self.source}"}

    def key(self):
        headers = clang_tidy.Includes().of(self.command["file"], clang_tidy.folders_of(self.command))
        return clang_tidy.key_of(self.command, headers, "version", clang_tidy.Hashes())

    def test_what_is_included_counts(self):
        before = self.key()
        self.assertEqual(self.key(), before)
        self.header.write_text('#include "area/b.hpp"\nint c;\n', encoding="utf-8")
        self.assertNotEqual(self.key(), before)

    def test_what_a_header_includes_counts(self):
        before = self.key()
        self.deeper.write_text("int d;\n", encoding="utf-8")
        self.assertNotEqual(self.key(), before)

    def test_the_command_counts(self):
        before = self.key()
        self.command["command"] += " -DMORE"
        self.assertNotEqual(self.key(), before)

    def test_a_folder_of_ours_is_looked_through(self):
        folder = Path(self.source).parent
        self.header.write_text('#include "b.hpp"\n', encoding="utf-8")
        self.command["command"] += f" -I{shlex.quote(str(folder / 'area'))}"
        before = self.key()
        self.deeper.write_text("int e;\n", encoding="utf-8")
        self.assertNotEqual(self.key(), before)


if __name__ == "__main__":
    unittest.main()
