#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of a run of CI beside the last accepted ones (figures.toml), and fails where one has grown by more than a tenth, or
by more than its own share.

    .ci/figures.py NAME=NUMBER...     beside those that it counts itself: lines, all_lines, and the wheel that is in build/wheel
"""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACCEPTED = ROOT / ".ci" / "figures.toml"
LANGUAGES = {".c", ".h", ".cpp", ".hpp", ".inc", ".cu", ".cuh"}
SHARE = 0.1


def lines(root, apart=("core/engines", "host/commands")):
    """Of C and C++ in core/ and host/, without these folders, tests and what tools/generate writes."""
    files = (path for folder in ("core", "host") for path in (root / folder).rglob("*") if path.suffix in LANGUAGES)
    by_hand = (path for path in files if path.parent.name not in ("generated", "tests") and not any(path.is_relative_to(root / folder) for folder in apart))
    return sum(path.read_bytes().count(b"\n") for path in by_hand)


def counted(root):
    found = {"lines": lines(root), "all_lines": lines(root, apart=())}
    wheels = list((root / "build" / "wheel").glob("*.whl"))
    if wheels:
        found["wheel_kb"] = round(wheels[0].stat().st_size / 1000)
    return found


def compare(figures, accepted):
    """Rows of the table, and a sentence for each figure that has grown too much, that nobody has accepted or that is missing."""
    rows = []
    problems = [f"nothing has measured '{name}' of .ci/figures.toml" for name in accepted if name not in figures]
    for name, now in figures.items():
        entry = accepted.get(name)
        if entry is None:
            problems.append(f"there is no accepted figure for '{name}': write [{name}] into .ci/figures.toml")
            continue
        before, share = entry["accepted"], entry.get("share", SHARE)
        wanted = f"   at most {entry['wanted']:,} is wanted" if now > entry.get("wanted", now) else ""
        rows.append(f"{name:<16}{now:>12,}   accepted {before:>10,}   {now / before - 1:+7.1%}{wanted}")
        if now > before * (1 + share):
            problems.append(f"{name} has grown from {before:,} to {now:,}, by more than {share:.0%}: make it smaller, or write the new "
                            "figure into .ci/figures.toml and the reason into the commit")  # fmt: skip
    return rows, problems


def main():
    given = dict(word.split("=", 1) for word in sys.argv[1:])
    figures = counted(ROOT) | {name: float(number) for name, number in given.items()}
    rows, problems = compare(figures, tomllib.loads(ACCEPTED.read_text(encoding="utf-8")))
    print("\n".join([*rows, *problems]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
