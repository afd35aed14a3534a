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

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EVALUATIONS = 20
EPISODES = 20
OTHER_EPISODES = 100
OTHER_SEED = 12345


def rows_of(path):
    rows = tomllib.loads(path.read_text())["row"]
    for row in rows:
        row["name"] = Path(row["manifest"]).stem
    return rows


def tenon(program, *words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))}\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def evaluations(folder):
    """(frames, mean return) of each evaluation of a run."""
    records = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [(record["frames"], record["eval/mean_reward"]) for record in records if record.get("eval/mean_reward") is not None]


def reached(program, folder, curve, threshold):
    """The first checkpoint at the threshold that is so again on other episodes: its frames and what it then returned."""
    for frames, mean in curve:
        if mean < threshold:
            continue
        words = ["--checkpoint", frames, "--episodes", OTHER_EPISODES, "--seed", OTHER_SEED, "--json"]
        again = tenon(program, "eval", folder, *words)["return_mean"]
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
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    done = tenon(program, "run", ROOT / row["manifest"], "--seed", seed, "--out", run, "--quiet", "--json", *words)
    curve = evaluations(run)
    frames, again = reached(program, run, curve, row["threshold"])
    shutil.rmtree(run)
    return {"seed": seed, "reached": frames, "again": again, "best": max(mean for _, mean in curve), "last": curve[-1][1],
            "seconds": done["seconds"], "frames": done["frames"], "curve": curve}


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

    with ThreadPoolExecutor(jobs) as pool:
        return all(list(pool.map(one, wanted)))


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
comes to the threshold, and does so again on 100 other episodes. No hyper-parameter depends on a seed. The executor is
`compiled` (recurrent networks run on the reference one). Seconds are of one core of two, evaluations included, with another run
beside; the median of the seeds. A row that says 0 of 5 where none is needed is there to show.

| task | algorithm | manifest | threshold | reached | median frame | frame for each seed | best | last | seconds |
|---|---|---|---|---|---|---|---|---|---|
"""


def page(rows, seeds, folder):
    lines = [line(row, found) for row in rows if (found := results(folder, row, seeds))]
    return PAGE + "\n".join(lines) + "\n"


def unmet(rows, seeds, folder):
    """The rows that fewer seeds reached than they have to."""
    for row in rows:
        found = results(folder, row, seeds)
        count = sum(result["reached"] is not None for result in found)
        if count < row["needed"]:
            yield f"{row['name']}: {count} of {len(found)} seeds, {row['needed']} are needed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="rows whose manifest's name has this in it")
    parser.add_argument("--seeds", default="0,1,2,3,4", help="separated by commas")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "learning", help="where results are kept")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tenon"), help="the program that trains")
    parser.add_argument("--executor", default="compiled", help="run.executor of every run")
    parser.add_argument("--again", action="store_true", help="train what has a result, too")
    parser.add_argument("--page", action="store_true", help="train nothing, write docs/results.md")
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
