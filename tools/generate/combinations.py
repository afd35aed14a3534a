#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of combinations in docs/limits.md from what parts of a plan declare, or checks that it is up to date.

Usage: combinations.py [--write | --check]
"""

import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECLARATIONS = "core/train/plan/capabilities/declarations.inc"
PAGE = "docs/limits.md"
STRING = r'"((?:\\.|[^"\\])*)"'
NAMED = re.compile(rf"^(CAPABILITY|FEATURE)\((\w+), {STRING}\)$", re.MULTILINE)
RELATION = re.compile(rf"^(NEEDS|TAKES)\((\w+), (\w+), {STRING}, {STRING}\)$", re.MULTILINE)
BLOCK = re.compile(r"(<!-- combinations -->\n).*?(<!-- end -->)", re.DOTALL)
ENTRY = re.compile(r"^(?:CAPABILITY|FEATURE|NEEDS|TAKES)\(", re.MULTILINE)


def table(text):
    """Rows of a feature that takes a capability away, and the features that need it."""
    names = {name: shown.replace('\\"', '"') for _, name, shown in NAMED.findall(text)}
    relations = RELATION.findall(text)
    if len(ENTRY.findall(text)) != len(NAMED.findall(text)) + len(relations):
        sys.exit(f"{DECLARATIONS} has an entry that does not fit on a line of its own")
    rows = ["| this | and what needs | which are |", "|---|---|---|"]
    for kind, taking, capability, *_ in relations:
        needing = [feature for other, feature, needed, *_ in relations if (other, needed) == ("NEEDS", capability)]
        if kind == "TAKES" and needing:
            rows.append(f"| {names[taking]} | {names[capability]} | {'; '.join(names[feature] for feature in needing)} |")
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="the default")
    mode.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    page = ROOT / PAGE
    old = page.read_text(encoding="utf-8")
    rows = table((ROOT / DECLARATIONS).read_text(encoding="utf-8"))
    new, count = BLOCK.subn(lambda match: match.group(1) + rows + match.group(2), old)
    if count != 1:
        sys.exit(f"{PAGE} has no block <!-- combinations -->")
    if check and new != old:
        sys.exit(f"{PAGE} does not have the combinations of {DECLARATIONS}")
    if not check and new != old:
        page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
