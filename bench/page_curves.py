#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the curves that pages show below the commands that make them: a block that ends with `tenon compare ... --plot NAME.svg` is
typed as it stands, and the picture comes to docs/curves/NAME.svg.

    bench/page_curves.py                     every page's curve; at least half an hour on one idle core
    bench/page_curves.py --only curiosity    those whose name has this in it
    bench/page_curves.py --draw              only the pictures, from runs that exist

Runs are made in runs/curves/NAME, where a block says runs/; those of before are deleted. A comment `<!-- curve: first: COMMAND -->`
above a block is a command that the page shows elsewhere. One command runs at a time.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

from runs import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from page_blocks import blocks_of, commands_of  # noqa: E402

FIRST = re.compile(r"^<!-- curve: first: (.*) -->$")
PLOT = re.compile(r"--plot (\w[\w-]*)\.svg$")
RUNS = re.compile(r"(?<=[ =])runs/")


def curves_of(page):
    """{name of the picture: the commands that make it} of a page."""
    text = page.read_text(encoding="utf-8")
    lines, found = text.split("\n"), {}
    for line, block in blocks_of(text):
        commands = [] if isinstance(block, str) else [command.text for command in commands_of(line, block)]
        plot = PLOT.search(commands[-1]) if commands else None
        if plot and f"(curves/{plot.group(1)}.svg)" in text:
            above = line - 2  # the block begins at lines[line - 1]
            while above > 0 and (not lines[above] or lines[above].startswith("<!-- ")):
                above -= 1
            first = [said.group(1) for said in map(FIRST.match, lines[above:line - 1]) if said]
            found[plot.group(1)] = [*first, *commands]
    return found


def every_curve():
    return {name: commands for page in sorted((ROOT / "docs").glob("*.md")) for name, commands in curves_of(page).items()}


def typed(command, program, folder):
    """The command of a page with the program, the folder of runs and the picture's place in it."""
    command = RUNS.sub(lambda _: f"{folder}/", command.replace("./tenon", program))
    return PLOT.sub(lambda plot: f"--plot {ROOT / 'docs' / 'curves'}/{plot.group(1)}.svg", command)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="curves whose name has this in it")
    parser.add_argument("--draw", action="store_true", help="train nothing, draw what has been trained")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "curves", help="where runs are kept")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tenon"), help="the program that trains")
    given = parser.parse_args()
    curves = {name: commands for name, commands in every_curve().items() if given.only in name}
    if not curves:
        parser.error(f"no curve has '{given.only}' in its name: {', '.join(every_curve())}")
    for name, commands in curves.items():
        folder = given.folder.resolve() / name
        if not given.draw:
            shutil.rmtree(folder, ignore_errors=True)
        for command in commands[-1:] if given.draw else commands:
            print(f"$ {command}", flush=True)
            subprocess.run(["bash", "-e", "-c", typed(command, given.program, folder)], check=True, cwd=ROOT)


if __name__ == "__main__":
    main()
