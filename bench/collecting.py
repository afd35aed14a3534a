#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `[collector] kind` gains on two cores: SAC on HalfCheetah-v5, collecting in turn on one thread and beside learning.

    bench/collecting.py                    five rounds by turns, into runs/collecting.json; needs two idle cores
    bench/collecting.py --page             writes the section of docs/collecting.md from this file

A row runs on as many cores as it has threads. Frames per second are the median of the rounds; the gain is the median of its
ratios to the first row of the same round.
"""

import argparse
import json
import re
import statistics
import sys
from pathlib import Path

from runs import ROOT, commit, machine, tenon

RESULTS = ROOT / "runs" / "collecting.json"
PAGE = ROOT / "docs" / "collecting.md"
MANIFEST = "sac_half_cheetah"
HEADING = "## What it gains"
# The collector, run.threads, and the cores of the process.
ROWS = {"in turn, one thread": ("sync", 1, "0"), "in turn, `run.threads = 2`": ("sync", 2, "0,1"),
        "`async`, one thread for each": ("async", 1, "0,1"), "`async`, `run.threads = 2`": ("async", 2, "0,1")}  # fmt: skip


def speed(program, frames, row):
    kind, threads, cores = ROWS[row]
    sets = {"run.total_frames": frames, "run.threads": threads, "collector.kind": f'"{kind}"', "train.start_frames": 1_000}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={value}")]
    command = ("bench", "manifest", ROOT / "manifests" / f"{MANIFEST}.toml", *words, "--json")
    return tenon("taskset", "-c", cores, program, *command)["frames_per_s"]


def measure(program, frames, rounds):
    found = {row: [] for row in ROWS}
    for _ in range(rounds):
        for row in ROWS:
            found[row].append(speed(program, frames, row))
            print(row, round(found[row][-1]), flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"speeds": found, "frames": frames, "commit": commit(), "machine": machine()}) + "\n")


def write_page():
    found = json.loads(RESULTS.read_text())
    first = next(iter(found["speeds"].values()))
    lines = [f"| {row} | {statistics.median(speeds):,.0f} | {statistics.median(a / b for a, b in zip(speeds, first)):.2f} |"
             for row, speeds in found["speeds"].items()]  # fmt: skip
    text = f"""{HEADING}

`bench/collecting.py` writes this table: [{MANIFEST}](../manifests/{MANIFEST}.toml), {found['frames']:,} frames, by turns, {len(first)} rounds
({found['machine']}, {found['commit']}). Updates take nearly all of the time here, so they gain by a second thread, and there is
little for `async` to hide: it is for steps that take as long as updates.

| collecting | frames/s | gain |
|---|---|---|
""" + "\n".join(lines) + "\n"
    parts = [part for part in re.split(r"\n(?=## )", PAGE.read_text()) if not part.startswith(HEADING)]
    at = next(i for i, part in enumerate(parts) if part.startswith("## A pool of lanes"))
    PAGE.write_text("\n".join([*parts[:at], text, *parts[at:]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--frames", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", action="store_true", help="writes the section of docs/collecting.md")
    given = parser.parse_args()
    if given.page:
        write_page()
    else:
        measure(given.program, given.frames, given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
