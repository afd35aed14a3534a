# SPDX-License-Identifier: Apache-2.0
"""The figures on README's first screen are those of docs/performance.md, and its ratios follow from them."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
MEASURED = re.compile(rf"({NUMBER.pattern}) (?:s|us|frames/s)\b")


def numbers(text):
    return set(NUMBER.findall(text))


def findings(readme, page):
    """A sentence for each figure of README's section on speed that the page does not have."""
    section = re.search(r"^## How fast\n(.*?)^## ", readme, re.MULTILINE | re.DOTALL).group(1)
    lines = page.splitlines()
    for figure in MEASURED.findall(section):
        if not any(figure in numbers(line) for line in lines):
            yield f"{figure} is no figure of the page"
    for row in [line for line in section.splitlines() if line.startswith("| ")][2:]:
        beside, ratio, ours, other, _ = (cell.strip() for cell in row.strip("|").split("|"))
        if beside.split(",")[0] not in page:
            yield f"the page does not name {beside}"
        together = numbers(f"{ours} {other or ratio}")
        if not any(together <= numbers(line) for line in lines):
            yield f"{beside}: no row of the page has {' and '.join(sorted(together))}"
        if other:
            first, second = (float(NUMBER.search(cell).group().replace(",", "")) for cell in (ours, other))
            better = second / first if ours.endswith(" s") else first / second
            if f"{better:.{len(ratio.partition('.')[2])}f}" != ratio:
                yield f"{beside}: the ratio of {ours} and {other} is {better:.3f}, not {ratio}"


class Readme(unittest.TestCase):
    def setUp(self):
        self.readme = (ROOT / "README.md").read_text(encoding="utf-8")
        self.page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")

    def test_its_figures_are_measured(self):
        self.assertEqual(list(findings(self.readme, self.page)), [])

    def test_another_figure_is_found(self):
        section = self.readme.split("## How fast\n")[1].split("\n## ")[0]
        figures = MEASURED.findall(section)
        self.assertGreaterEqual(len(figures), 8)
        for figure in figures:
            changed = self.readme.replace(f" {figure} ", f" {figure}1 ")
            self.assertTrue(list(findings(changed, self.page)), figure)
        self.assertTrue(list(findings(self.readme.replace("| 33 |", "| 34 |"), self.page)))


if __name__ == "__main__":
    unittest.main()
