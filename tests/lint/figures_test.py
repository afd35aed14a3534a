# SPDX-License-Identifier: Apache-2.0
""".ci/figures.py on small trees and tables."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".ci"))
import figures  # noqa: E402

ACCEPTED = {"lines": {"accepted": 100, "wanted": 90}, "ratio": {"accepted": 4, "share": 0.25}}


class Figures(unittest.TestCase):
    def problems(self, **now):
        return figures.compare({"lines": 100, "ratio": 4.0} | now, ACCEPTED)[1]

    def test_a_tenth_more_is_too_much(self):
        self.assertEqual(self.problems(lines=110), [])
        (problem,) = self.problems(lines=111)
        self.assertIn("lines has grown from 100 to 111, by more than 10%", problem)

    def test_a_figure_may_have_a_share_of_its_own(self):
        self.assertEqual(self.problems(ratio=5.0), [])
        self.assertIn("by more than 25%", self.problems(ratio=5.1)[0])

    def test_unknown_and_missing_figures_are_told(self):
        self.assertEqual(self.problems(odd=1), ["there is no accepted figure for 'odd': write [odd] into .ci/figures.toml"])
        self.assertEqual(figures.compare({"lines": 1}, ACCEPTED)[1], ["nothing has measured 'ratio' of .ci/figures.toml"])

    def test_rows_have_both_figures_and_what_is_wanted(self):
        rows, _ = figures.compare({"lines": 95, "ratio": 4.0}, ACCEPTED)
        self.assertRegex(rows[0], r"^lines +95 +accepted +100 +-5.0% +at most 90 is wanted$")
        self.assertRegex(rows[1], r"^ratio +4.0 +accepted +4 +\+0.0%$")

    def test_engines_commands_tests_and_generated_text_are_not_counted(self):
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for path in ("core/a/x.cpp", "core/a/generated/x.inc", "core/engines/b/x.cpp", "host/commands/c/x.hpp", "host/commands/c/tests/x.cpp", "host/x.inc", "host/x.py", "plugins/x.cpp"):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text("1\n2\n", encoding="utf-8")
            self.assertEqual(figures.lines(root), 4)
            self.assertEqual(figures.lines(root, apart=()), 8)


if __name__ == "__main__":
    unittest.main()
