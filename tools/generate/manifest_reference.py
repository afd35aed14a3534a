#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/manifest.md, or checks that it is up to date.

Usage: manifest_reference.py [--write | --check] [--program FILE]. The page is what the program
tenon_manifest_reference prints, by default that of build/release; --check fails where the page differs.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = Path("docs/reference/manifest.md")
PROGRAM = Path("build/release/bin/tenon_manifest_reference")


def main():
    parser = argparse.ArgumentParser(description="Generates docs/reference/manifest.md.")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="write the page (the default)")
    mode.add_argument("--check", action="store_true", help="only say whether it is up to date")
    parser.add_argument("--program", type=Path, default=ROOT / PROGRAM, help="the built program that prints it")
    arguments = parser.parse_args()
    if not arguments.program.is_file():
        print(f"{arguments.program} is not built; build the target tenon_manifest_reference first", file=sys.stderr)
        return 1
    printed = subprocess.run([arguments.program], check=True, stdout=subprocess.PIPE).stdout
    page = ROOT / PAGE
    if arguments.check:
        if page.is_file() and page.read_bytes() == printed:
            return 0
        print(f"{PAGE} is outdated: core/config/manifest/tables_*.cpp has changed")
        return 1
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_bytes(printed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
