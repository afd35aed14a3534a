# SPDX-License-Identifier: Apache-2.0
"""The figures on README's first screen are those of docs/performance.md, its ratios follow from them, and tools/site can make its
front page of it, and pages of headers."""

import importlib.machinery
import importlib.util
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True  # no cache next to tools/site
loader = importlib.machinery.SourceFileLoader("site_of_pages", str(ROOT / "tools" / "site"))
site = importlib.util.module_from_spec(importlib.util.spec_from_loader("site_of_pages", loader))
loader.exec_module(site)
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
        library, ratio, ours, other, _ = (cell.strip() for cell in row.strip("|").split("|"))
        if library.split(",")[0] not in page:
            yield f"the page does not name {library}"
        together = numbers(f"{ours} {other or ratio}")
        if not any(together <= numbers(line) for line in lines):
            yield f"{library}: no row of the page has {' and '.join(sorted(together))}"
        if other:
            first, second = (float(NUMBER.search(cell).group().replace(",", "")) for cell in (ours, other))
            better = second / first if ours.endswith(" s") else first / second
            if f"{better:.{len(ratio.partition('.')[2])}f}" != ratio:
                yield f"{library}: the ratio of {ours} and {other} is {better:.3f}, not {ratio}"


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

    def test_it_is_the_front_page_of_the_site(self):
        front = site.front_of(self.readme)
        head, rest = front.split("</figure>")
        self.assertEqual(re.findall(r"!\[[^]]+\]\((.+?)\)", head), ["docs/dash.png", "docs/pendulum.png"])
        self.assertTrue(rest.lstrip("</div>\n").startswith("## "), rest[:40])
        with self.assertRaises(SystemExit):
            site.front_of(self.readme.replace("docs/dash.png) |", "docs/dash.png)"))

    def test_the_site_loses_nothing_of_a_headers_comment(self):
        text = "What step takes:\n  tenon::Rng&        the generator\n  std::span<float>   the row\nIt writes next.<key>.\n- one\n  more"
        self.assertEqual(site.as_page(text), "What step takes:\n\n    tenon::Rng&        the generator\n    std::span<float>   the row\n\n"
                         "It writes next.&lt;key>.\n- one\n  more")  # fmt: skip


if __name__ == "__main__":
    unittest.main()
