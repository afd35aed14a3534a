#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the relative links of the Markdown pages lead somewhere: to a file or folder that is there, and where they
have an anchor to a heading of that page. --root is a clone, or share/doc/tenon of an installation."""

import argparse
import re
import sys
from pathlib import Path
from urllib.parse import unquote

FENCED = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[^\n]*$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^ {4}[^\n]*$", re.MULTILINE)
SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def pages_of(root):
    """Those at the root, and all below docs/."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def blanked(pattern, text):
    """Without what matches, on the same lines."""
    return pattern.sub(lambda match: "\n" * match.group().count("\n"), text)


def anchors_of(page):
    """Of its headings, as GitHub makes them."""
    text = blanked(INDENTED, blanked(FENCED, page.read_text(encoding="utf-8")))
    found = set()
    for heading in HEADING.findall(text):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        number = next(n for n in range(len(found) + 1) if (anchor if n == 0 else f"{anchor}-{n}") not in found)
        found.add(anchor if number == 0 else f"{anchor}-{number}")
    return found


def links_of(page):
    """Number of the line and target of each relative link."""
    text = page.read_text(encoding="utf-8")
    for pattern in (FENCED, INDENTED, SPAN):
        text = blanked(pattern, text)
    for match in LINK.finditer(text):
        if not re.match(r"[a-z][a-z0-9+.-]*:", match.group(1)):
            yield text.count("\n", 0, match.start()) + 1, match.group(1)


def findings(root):
    root = root.resolve()
    for page in pages_of(root):
        for line, target in links_of(page):
            place = f"{page.relative_to(root)}:{line}"
            name, _, anchor = target.partition("#")
            to = (page.parent / unquote(name)).resolve() if name else page
            if not to.is_relative_to(root):
                yield f"{place}: {target} leads out of the pages' folder"
            elif not to.exists():
                yield f"{place}: {target} leads nowhere"
            elif anchor and (to.suffix != ".md" or anchor not in anchors_of(to)):
                yield f"{place}: {target} names a heading that {to.relative_to(root)} does not have"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root
    found = list(findings(root))
    for finding in found:
        print(finding)
    pages = pages_of(root)
    if not pages:
        print(f"{root} has no Markdown pages")
    elif not found:
        print(f"{sum(1 for page in pages for _ in links_of(page))} links of {len(pages)} pages are valid")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
