#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `[collector] kind` gains on two cores: SAC on HalfCheetah-v5, whose time the updates take, and DQN on
Gymnasium's Acrobot-v1, whose time an environment in Python takes.

    bench/collecting.py                    five rounds by turns, into runs/collecting.json; needs two idle cores
    bench/collecting.py --table python     only one of the tables: updates, python
    bench/collecting.py --page             writes the sections of docs/collecting.md from this file

A row runs on as many cores as it has threads and processes. Frames per second are the median of the rounds; the gain is the
median of its ratios to the first row of the same round.
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
PYTHON = ROOT / ".deps" / "python" / "bin" / "python"
TABLES = {
    "updates": {
        "manifest": "sac_half_cheetah",
        "frames": 6_000,
        "set": {"train.start_frames": 1_000},
        "heading": "## What it gains",
        "before": "## In worker processes",
        "what": "[sac_half_cheetah](../manifests/sac_half_cheetah.toml)",
        "says": "Updates take nearly all of the time here, so they gain by a second thread, and there is\n"
        "little for `async` to hide: it is for steps that take as long as updates.",
        # The cores of the process, and what is set.
        "rows": {
            "in turn, one thread": ("0", {"collector.kind": "sync"}),
            "in turn, `run.threads = 2`": ("0,1", {"collector.kind": "sync", "run.threads": 2}),
            "`async`, one thread for each": ("0,1", {"collector.kind": "async"}),
            "`async`, `run.threads = 2`": ("0,1", {"collector.kind": "async", "run.threads": 2}),
        },
    },
    "python": {
        "manifest": "dqn_cartpole",
        "frames": 40_000,
        "set": {"env.id": "Acrobot-v1", "env.python": str(PYTHON), "train.updates_per_batch": 2},
        "heading": "### What worker processes gain",
        "before": "## A pool of lanes",
        "what": "[dqn_cartpole](../manifests/dqn_cartpole.toml) with 2 updates a round, on Gymnasium's Acrobot-v1",
        "says": "Python's steps take nearly all of the time here. Two workers with an interpreter each step on both\n"
        "cores; one of them gains nothing. The machine had other work, so that only the ratios within a round say something. Where updates\n"
        "take as long as the steps, as with 16 updates a round, `async` uses both cores already and workers gain nothing over it.",
        "rows": {
            "`gym_embedded/env`, in turn": ("0", {"env.plugin": "gym_embedded/env", "collector.kind": "sync"}),
            "`gym_embedded/env`, `async`": ("0,1", {"env.plugin": "gym_embedded/env", "collector.kind": "async"}),
            "`gym/env` with two workers, `async`": ("0,1", {"env.plugin": "gym/env", "env.workers": 2, "collector.kind": "async"}),
            "`gym_embedded/env`, one worker process": ("0,1", {"env.plugin": "gym_embedded/env", "collector.kind": "processes",
                                                              "collector.workers": 1}),
            "`gym_embedded/env`, two worker processes": ("0,1", {"env.plugin": "gym_embedded/env", "collector.kind": "processes",
                                                                "collector.workers": 2}),
        },
    },
}  # fmt: skip


def speed(program, table, row):
    cores, own = table["rows"][row]
    sets = {"run.total_frames": table["frames"], **table["set"], **own}
    words = [word for key, value in sets.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    command = ("bench", "manifest", ROOT / "manifests" / f"{table['manifest']}.toml", *words, "--json")
    return tenon("taskset", "-c", cores, program, *command)["frames_per_s"]


def measure(program, name, rounds):
    found = {row: [] for row in TABLES[name]["rows"]}
    for _ in range(rounds):
        for row in found:
            found[row].append(speed(program, TABLES[name], row))
            print(row, round(found[row][-1]), flush=True)
    RESULTS.parent.mkdir(exist_ok=True)
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    known[name] = {"speeds": found, "commit": commit(), "machine": machine()}
    RESULTS.write_text(json.dumps(known) + "\n")


def write_section(table, found):
    first = next(iter(found["speeds"].values()))
    lines = [f"| {row} | {statistics.median(speeds):,.0f} | {statistics.median(a / b for a, b in zip(speeds, first)):.2f} |"
             for row, speeds in found["speeds"].items()]  # fmt: skip
    text = f"""{table['heading']}

`bench/collecting.py` writes this table: {table['what']}, {table['frames']:,} frames, by turns, {len(first)} rounds
({found['machine']}, {found['commit']}). {table['says']}

| collecting | frames/s | gain |
|---|---|---|
""" + "\n".join(lines) + "\n"
    parts = [part for part in re.split(r"\n(?=##)", PAGE.read_text()) if not part.startswith(table["heading"] + "\n")]
    at = next(i for i, part in enumerate(parts) if part.startswith(table["before"]))
    PAGE.write_text("\n".join([*parts[:at], text, *parts[at:]]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "release" / "bin" / "tenon")
    parser.add_argument("--table", choices=TABLES, action="append", help="only this one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--page", action="store_true", help="writes the sections of docs/collecting.md")
    given = parser.parse_args()
    if given.page:
        for name, found in json.loads(RESULTS.read_text()).items():
            write_section(TABLES[name], found)
    else:
        for name in given.table or TABLES:
            measure(given.program, name, given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
