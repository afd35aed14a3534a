#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the tables of docs/catalogue.toml into the pages of docs/, or checks that they are up to date.

Usage: catalogue.py [--write | --check]. What follows one of these lines, up to <!-- end -->, is written anew:

    <!-- catalogue 1.3 -->      the items of a section
    <!-- catalogue sections -->  each section with its page, and how many of its items work
    <!-- catalogue limits -->    the limits
    <!-- catalogue beyond -->    what TorchRL has not
"""

import argparse
import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from check_links import anchors_of  # noqa: E402
from known_tests import KnownTests  # noqa: E402
from read_catalogue import FILE, STATES, read  # noqa: E402

BLOCK = re.compile(r"(<!-- catalogue (\S+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
WORDS = {"works": "works", "partial": "partial", "absent": "no"}


class Wrong(Exception):
    """What the catalogue or a page has wrong, in one sentence."""


class Tables:
    def __init__(self, root):
        self.docs = root / "docs"
        self.catalogue = read(root)
        self.tests = KnownTests(root)
        self.pages = sorted(self.docs.rglob("*.md"))

    def rewritten(self, path):
        """The page as it has to be."""
        folder = os.path.relpath(self.docs, path.parent)

        def block(match):
            table = self.table(match[2])
            if "<!-- " in match[3]:
                raise Wrong(f"the table {match[2]} has no end")
            # Links of the catalogue are from docs/.
            return match[1] + re.sub(r"\]\((?!\w+:)", lambda _: f"]({'' if folder == '.' else folder + '/'}", table) + match[4]

        return BLOCK.sub(block, path.read_text(encoding="utf-8"))

    def table(self, name):
        if name == "sections":
            return self.table_of_sections()
        if name == "limits":
            return table_of("subject", "limit")(((each.subject, each.limit) for each in self.catalogue.limits))
        if name == "beyond":
            return table_of("feature", "shown by")(((each.feature, self.shown(each.tests)) for each in self.catalogue.beyond))
        if name not in self.catalogue.sections:
            raise Wrong(f"the catalogue has no section {name}")
        items = [item for item in self.catalogue.items if item.section == name]
        rows = ((item.item, ": ".join(filter(None, (WORDS[item.state], item.reason))), self.shown(item.tests)) for item in items)
        return table_of("TorchRL", "here", "shown by")(rows)

    def shown(self, tests):
        """What runs these cases: `test_env`: lanes_test, reader_test; `e2e.trunk`."""
        found = {}
        for test in tests:
            name, part = self.tests.files[self.tests.runner(test.partition(": ")[0])]
            found.setdefault(name, []).append(part)
        parts = {name: ", ".join(dict.fromkeys(filter(None, files))) for name, files in found.items()}
        return "; ".join(f"`{name}`" + (f": {files}" if files else "") for name, files in parts.items())

    def table_of_sections(self):
        rows, all_counts = [], [0, 0, 0]
        for section, title in self.catalogue.sections.items():
            states = [item.state for item in self.catalogue.items if item.section == section]
            counts = [states.count(state) for state in STATES]
            all_counts = [a + b for a, b in zip(all_counts, counts)]
            rows.append((self.link(section, title), *map(str, counts)))
        rows.append((f"all {sum(all_counts)}", *map(str, all_counts)))
        return table_of("table", *WORDS.values())(rows)

    def link(self, section, title):
        """To the table, on the page that has it."""
        pages = [page for page in self.pages if f"<!-- catalogue {section} -->" in page.read_text(encoding="utf-8")]
        if len(pages) != 1:
            raise Wrong(f"{len(pages)} pages have the table of the section {section}")
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        if anchor not in anchors_of(pages[0]):
            raise Wrong(f"{pages[0].relative_to(self.docs)} has no heading '{title}' for the section {section}")
        return f"[{title}]({pages[0].relative_to(self.docs).as_posix()}#{anchor})"


def escaped(cells):
    return [cell.replace("|", "\\|") for cell in cells]


def table_of(*header):
    def text(rows):
        head, *body = ("|" + "".join(f" {cell} |" if cell else " |" for cell in escaped(line)) + "\n" for line in (header, *rows))
        return head + "|---" * len(header) + "|\n" + "".join(body)

    return text


def main():
    parser = argparse.ArgumentParser(description="Puts the tables of docs/catalogue.toml into the pages of docs/.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the pages (the default)")
    mode.add_argument("--check", action="store_true", help="only say whether they are up to date")
    parser.add_argument("--root", type=Path, default=ROOT)
    given = parser.parse_args()
    tables, status = Tables(given.root), 0
    for path in tables.pages:
        try:
            wanted = tables.rewritten(path)
        except Wrong as wrong:
            print(f"{path.relative_to(given.root)}: {wrong}")
            status = 1
            continue
        if wanted == path.read_text(encoding="utf-8"):
            continue
        if given.check:
            print(f"{path.relative_to(given.root)} has an outdated table of {FILE}")
            status = 1
        else:
            path.write_text(wanted, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
