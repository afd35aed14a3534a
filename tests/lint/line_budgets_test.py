# SPDX-License-Identifier: Apache-2.0
"""tools/line_budgets.py on small files."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import line_budgets  # noqa: E402

SOURCE = """// A comment.
#include <cmath>

/* Another,
   of two lines. */
struct First {
    const char* url = "http://not.a.comment";  // but this is one

};
struct Second {};
struct Open {
"""


class LineBudgets(unittest.TestCase):
    def findings(self, *budgets):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "a.cpp").write_text(SOURCE, encoding="utf-8")
            return list(line_budgets.findings(Path(folder), budgets))

    def test_blank_lines_and_comments_are_free(self):
        self.assertEqual(self.findings(("a.cpp", None, 6)), [])
        self.assertEqual(self.findings(("a.cpp", None, 5)), ["a.cpp: 6 lines, and 5 are promised"])

    def test_a_struct_is_counted_alone(self):
        self.assertEqual(self.findings(("a.cpp", "First", 3)), [])
        self.assertEqual(self.findings(("a.cpp", "First", 2)), ["a.cpp: 3 lines of First, and 2 are promised"])

    def test_what_is_not_there_is_an_error(self):
        self.assertIn("no such file", self.findings(("b.cpp", None, 9))[0])
        self.assertIn("no struct Third", self.findings(("a.cpp", "Third", 9))[0])
        self.assertIn("no struct Open", self.findings(("a.cpp", "Open", 9))[0])


if __name__ == "__main__":
    unittest.main()
