# SPDX-License-Identifier: Apache-2.0
"""What tools/clang_tidy.py remembers must fall when anything that a file reads changes."""

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
        self.header.write_text("int a;\n", encoding="utf-8")
        # As CMake 3.25 writes it: the object stands in the command line alone.
        self.command = {"file": str(self.source), "command": f"c++ -O2 -o area/a.cpp.o -c {self.source}"}
        self.recorded = {"area/a.cpp.o": [self.source, self.header]}

    def key(self):
        headers = clang_tidy.headers_of(self.command, self.recorded)
        return clang_tidy.key_of(self.command, headers, "version", clang_tidy.Hashes())

    def test_what_is_included_counts(self):
        before = self.key()
        self.assertEqual(self.key(), before)
        self.header.write_text("int b;\n", encoding="utf-8")
        self.assertNotEqual(self.key(), before)

    def test_the_command_counts(self):
        before = self.key()
        self.command["command"] += " -DMORE"
        self.assertNotEqual(self.key(), before)

    def test_a_file_that_was_never_built_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "nothing of area/a.cpp.o: build first"):
            clang_tidy.headers_of(self.command, {})


if __name__ == "__main__":
    unittest.main()
