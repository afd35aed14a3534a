#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts code and printed sentences into the pages of docs/, or checks that they are up to date.

Usage: excerpts.py [--write | --check]. A page says where a block comes from, what follows up to the end is written anew:

    <!-- excerpt sdk/templates/env/drift.cpp -->              the whole file without its licence tag
    <!-- excerpt sdk/templates/env/drift.cpp: "A" to "B" -->  from the first line with A to the first with B from there on
                                                         a closing brace is a line of its own
    <!-- sentences env_other_shape env_key_twice -->          what is printed for these manifests of tests/bad_input
    <!-- end -->
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MISTAKES = "tests/bad_input/manifests"
BLOCK = re.compile(r"(<!-- (excerpt|sentences) ([^\n]*) -->\n)(.*?)(<!-- end -->)", re.DOTALL)
PLACE = re.compile(r'(\S+?)(?:: "(.*)" to "(.*)")?')
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".c": "c", ".h": "c", ".toml": "toml", ".txt": "cmake"}


class Wrong(Exception):
    """A directive that cannot be followed, in one sentence."""


def read(root, name):
    path = root / name
    if not path.is_file():
        raise Wrong(f"there is no file {name}")
    return path.read_text(encoding="utf-8")


def excerpt(root, words):
    name, first, last = PLACE.fullmatch(words).groups()
    lines = [line for line in read(root, name).splitlines() if "SPDX-License-Identifier" not in line]
    if first is not None:
        begin = next((i for i, line in enumerate(lines) if first in line), None)
        if begin is None:
            raise Wrong(f"{name} has no line with '{first}'")
        brace = last in ("}", "};")
        end = next((i for i in range(begin, len(lines)) if (lines[i] == last if brace else last in lines[i])), None)
        if end is None:
            raise Wrong(f"{name} has no line with '{last}' after the one with '{first}'")
        lines = lines[begin : end + 1]
    lines = [line for line in lines if "clang-format o" not in line]
    text = textwrap.dedent("\n".join(lines)).strip("\n")
    return f"```{LANGUAGES.get(Path(name).suffix, '')}\n{text}\n```\n"


def sentences(root, words):
    """A table: what is wrong, as the manifest's first comment has it, and what is printed first."""
    rows = ["| mistake | what is printed |", "|---|---|"]
    for name in words.split():
        mistake = read(root, f"{MISTAKES}/{name}.toml").splitlines()[0].lstrip("# ")
        printed = re.search(r"^error: (.*)$", read(root, f"{MISTAKES}/{name}.expected"), re.MULTILINE)
        if printed is None:
            raise Wrong(f"{name}.expected has no error")
        sentence = printed.group(1).replace("|", "\\|")
        rows.append(f"| {mistake} | `{sentence}` |")
    return "\n".join(rows) + "\n"


def rewrite(root, page):
    """The page as it has to be."""

    def block(match):
        head, kind, words, old, end = match.groups()
        if "<!-- " in old:
            raise Wrong(f"the {kind} {words} has no end")
        return head + (excerpt if kind == "excerpt" else sentences)(root, words) + end

    return BLOCK.sub(block, page)


def main():
    parser = argparse.ArgumentParser(description="Puts excerpts into the pages of docs/.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the pages (the default)")
    mode.add_argument("--check", action="store_true", help="only say whether they are up to date")
    parser.add_argument("--root", type=Path, default=ROOT)
    arguments = parser.parse_args()
    status = 0
    for path in sorted((arguments.root / "docs").rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        name = path.relative_to(arguments.root)
        try:
            wanted = rewrite(arguments.root, page)
        except Wrong as wrong:
            print(f"{name}: {wrong}")
            status = 1
            continue
        if wanted == page:
            continue
        if arguments.check:
            print(f"{name} has an outdated excerpt; regenerate it with: tools/generate/excerpts.py")
            status = 1
        else:
            path.write_text(wanted, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
