#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains what learning.toml lists, with several seeds each, and says within how many frames it is learnt.

A run is evaluated twenty times, evenly over its budget, for 20 episodes of mode actions. It has reached its threshold at the
first of these checkpoints that comes to it, and does so again on 100 other episodes. Each run's result is kept in a file,
so that what was interrupted goes on where it stood, and --page writes docs/results.md of all that are there.

    bench/learning.py                    every row, seeds 0 to 4, two runs at a time
    bench/learning.py --only pendulum    rows whose manifest's name has this in it
    bench/learning.py --page             only the page
"""

import json
import shutil
import statistics
import sys
import tomllib
from pathlib import Path

from runs import ROOT, at_a_time, evaluations, options, other_return, train

EVALUATIONS = 20
EPISODES = 20


def rows_of(path):
    rows = tomllib.loads(path.read_text())["row"]
    for row in rows:
        row["name"] = Path(row["manifest"]).stem
    return rows


def reached(program, folder, curve, threshold):
    """The first checkpoint at the threshold that is so again on other episodes: its frames and what it then returned."""
    for frames, mean in curve:
        if mean < threshold:
            continue
        again = other_return(program, folder, frames)
        if again >= threshold:
            return frames, again
    return None, None


def trained(program, row, seed, folder, executor):
    run = folder / f"{row['name']}-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    every = row["frames"] // EVALUATIONS
    settings = {"run.total_frames": row["frames"], "eval.every_frames": every, "eval.episodes": EPISODES,
                "checkpoint.every_frames": every, "checkpoint.keep": 1000, "checkpoint.buffer": "false",
                "log.tensorboard": "false", "run.executor": f'"{executor}"'}
    done = train(program, ROOT / row["manifest"], run, settings, "--seed", seed)
    curve = evaluations(run)
    frames, again = reached(program, run, curve, row["threshold"])
    shutil.rmtree(run)
    return {"seed": seed, "reached": frames, "again": again, "best": max(mean for _, mean in curve), "last": curve[-1][1],
            "seconds": done["cpu_seconds"], "frames": done["frames"], "curve": curve}


def result_of(folder, row, seed):
    return folder / f"{row['name']}-{seed}.json"


def train_all(program, rows, seeds, folder, jobs, again, executor):
    wanted = [(row, seed) for row in rows for seed in seeds if again or not result_of(folder, row, seed).exists()]

    def one(job):
        row, seed = job
        try:
            result = trained(program, row, seed, folder, executor)
        except RuntimeError as error:
            print(f"{row['name']} seed {seed}: {error}", file=sys.stderr, flush=True)
            return False
        result_of(folder, row, seed).write_text(json.dumps(result) + "\n")
        where = f"reached at {result['reached']} ({result['again']:.1f})" if result["reached"] else "not reached"
        print(f"{row['name']} seed {seed}: {where}, best {result['best']:.1f}, last {result['last']:.1f}, "
              f"{result['seconds']:.0f} s", flush=True)
        return True

    return all(at_a_time(jobs, one, wanted))


def results(folder, row, seeds):
    files = [result_of(folder, row, seed) for seed in seeds]
    return [json.loads(file.read_text()) for file in files if file.exists()]


def median_frame(found):
    """The frame by which half of the seeds have reached it; None where fewer did."""
    frames = [result["reached"] or float("inf") for result in found]
    middle = statistics.median_low(sorted(frames))
    return None if middle == float("inf") else middle


def short(value):
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"


def line(row, found):
    count = sum(result["reached"] is not None for result in found)
    median = median_frame(found)
    per_seed = ", ".join(f"{result['reached']:,}" if result["reached"] else "-" for result in found)
    best = ", ".join(short(result["best"]) for result in found)
    last = ", ".join(short(result["last"]) for result in found)
    seconds = statistics.median(result["seconds"] for result in found)
    link = f"[{row['name']}](../{row['manifest']})"
    return (f"| {row['task']} | {row['algorithm']} | {link} | {row['threshold']} in {row['frames']:,} | {count} of {len(found)} | "
            f"{f'{median:,}' if median else '-'} | {per_seed} | {best} | {last} | {seconds:.0f} |")


PAGE = """# What learns

Written by `bench/learning.py`, which trains the manifests below and takes at most 90 minutes on two cores. Twenty times in
a run, evenly over its frames, 20 episodes of mode actions are played. *Reached* is the first of these checkpoints that
comes to the threshold, and does so again on 100 other episodes. No hyper-parameter depends on a seed. Programs were
compiled. Seconds are of one core, evaluations included; the median of the seeds. Where fewer than five seeds are counted,
the others have not been run. A row that says 0 of 5 where none is needed is there to show.

| task | algorithm | manifest | threshold | reached | median frame | frame for each seed | best | last | seconds |
|---|---|---|---|---|---|---|---|---|---|
"""


def page(rows, seeds, folder):
    lines = [line(row, found) for row in rows if (found := results(folder, row, seeds))]
    unknown = [f"[{row['name']}](../{row['manifest']})" for row in rows if not results(folder, row, seeds)]
    rest = f"\nNot measured, and so not claimed: {', '.join(unknown)}.\n" if unknown else ""
    return PAGE + "\n".join(lines) + "\n" + rest


def unmet(rows, seeds, folder):
    """The rows that fewer seeds reached than they have to."""
    for row in rows:
        found = results(folder, row, seeds)
        count = sum(result["reached"] is not None for result in found)
        if count < row["needed"]:
            yield f"{row['name']}: {count} of {len(found)} seeds, {row['needed']} are needed"


def main():
    parser = options(__doc__, "rows whose manifest's name", "learning", "docs/results.md")
    parser.add_argument("--again", action="store_true", help="train what has a result, too")
    given = parser.parse_args()
    every_row = rows_of(ROOT / "bench" / "learning.toml")
    rows = [row for row in every_row if given.only in row["name"]]
    if not rows:
        parser.error(f"no row's manifest has '{given.only}' in its name: {', '.join(row['name'] for row in every_row)}")
    seeds = [int(seed) for seed in given.seeds.split(",")]
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.page:
        (ROOT / "docs" / "results.md").write_text(page(every_row, seeds, given.folder))
        return 0
    fine = train_all(given.program, rows, seeds, given.folder, given.jobs, given.again, given.executor)
    missing = list(unmet(rows, seeds, given.folder))
    print("\n".join(missing))
    return 0 if fine and not missing else 1


if __name__ == "__main__":
    sys.exit(main())
