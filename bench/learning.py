#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains what learning.toml lists, with several seeds each, and says within how many frames it is learnt.

A run is evaluated twenty times (`evaluations`), evenly over its budget, for 20 episodes (`episodes`) of mode actions. It has reached
its threshold at the first of these checkpoints that comes to it and does so again on 100 other episodes (`other_episodes`). The result of each run is kept in a file
with a hash of its manifest and the commit: what was interrupted goes on where it stood, and a changed recipe is trained again.
--page writes docs/results.md from all results that are there; a row without one stays as it stands on the page.

    bench/learning.py                       every row, seeds 0 to 19, two runs at a time
    bench/learning.py --only pendulum       rows whose manifest's name has this in it
    bench/learning.py --seeds 0-4,11        fewer seeds, or others
    bench/learning.py --only a2c --set optimiser.lr=1e-3 --folder runs/trial      tries another recipe
    bench/learning.py --page                only the page
    bench/learning.py --worlds              the rows of worlds.toml in place of those of learning.toml: environments that
                                            others have written; --page then writes that part of the page
"""

import hashlib
import json
import re
import shutil
import statistics
import sys
import tomllib
from pathlib import Path

from runs import OTHER_EPISODES, ROOT, at_a_time, commit, evaluations, machine, options, other_return, seeds_of, train

EVALUATIONS = 20
EPISODES = 20


def rows_of(path):
    rows = tomllib.loads(path.read_text())["row"]
    for row in rows:
        row.setdefault("name", Path(row["manifest"]).stem)
        row.setdefault("set", {})
    return rows


def recipe_of(path):
    """The text of a manifest, after the texts of those that it includes."""
    text = path.read_text()
    return "".join(recipe_of(path.parent / name) for name in tomllib.loads(text).get("include", [])) + text


class Trial:
    """How the rows are trained: the program, the folder with results, settings beside those of a row."""

    def __init__(self, program, folder, executor, sets):
        self.program, self.folder, self.executor, self.sets = program, folder, executor, dict(each.split("=", 1) for each in sets)

    def settings(self, row):
        every = row["frames"] // row.get("evaluations", EVALUATIONS)
        return {"run.total_frames": row["frames"], "eval.every_frames": every, "eval.episodes": row.get("episodes", EPISODES),
                "checkpoint.every_frames": every, "checkpoint.keep": 1000, "checkpoint.buffer": "false",
                "log.tensorboard": "false", "run.executor": f'"{self.executor}"',
                **{key: json.dumps(value) for key, value in row["set"].items()}, **self.sets}

    def recipe(self, row):
        """A hash of everything that a result depends on but the seed and the build."""
        told = recipe_of(ROOT / row["manifest"]) + json.dumps([self.settings(row), row["threshold"]], sort_keys=True)
        for name, first in row.get("first", {}).items():
            told += name + recipe_of(ROOT / first["manifest"]) + json.dumps(first.get("set", {}), sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16]

    def file(self, row, seed):
        return self.folder / f"{row['name']}-{seed}.json"

    def result(self, row, seed):
        """None where there is none, or one of another recipe."""
        file = self.file(row, seed)
        found = json.loads(file.read_text()) if file.exists() else {}
        return found if found.get("recipe") == self.recipe(row) else None

    def results(self, row, seeds):
        return [found for seed in seeds if (found := self.result(row, seed))]

    def reached(self, run, curve, row):
        """The first checkpoint at the threshold that is so again on other episodes: its frames and what it then returned."""
        for frames, mean in curve:
            if mean < row["threshold"]:
                continue
            again = other_return(self.program, run, frames, row.get("other_episodes", OTHER_EPISODES))
            if again >= row["threshold"]:
                return frames, again
        return None, None

    def train(self, row, seed):
        run = self.folder / f"{row['name']}-{seed}"
        shutil.rmtree(run, ignore_errors=True)
        settings, seconds, befores = self.settings(row), 0, []
        for name, first in row.get("first", {}).items():
            befores.append(self.folder / f"{row['name']}-{seed}-{name}")
            shutil.rmtree(befores[-1], ignore_errors=True)
            own = {"run.executor": f'"{self.executor}"', "eval.every_frames": 0}
            own.update({key: json.dumps(value) for key, value in first.get("set", {}).items()})
            seconds += train(self.program, ROOT / first["manifest"], befores[-1], own, "--seed", seed)["cpu_seconds"]
            settings = {key: str(value).replace(f'"@{name}"', json.dumps(str(befores[-1].resolve()))) for key, value in settings.items()}
        done = train(self.program, ROOT / row["manifest"], run, settings, "--seed", seed)
        curve = evaluations(run)
        frames, again = self.reached(run, curve, row)
        for folder in (run, *befores):
            shutil.rmtree(folder)
        result = {"seed": seed, "reached": frames, "again": again, "best": max(mean for _, mean in curve), "last": curve[-1][1],
                  "seconds": done["cpu_seconds"] + seconds, "frames": done["frames"], "curve": curve, "recipe": self.recipe(row),
                  "commit": commit(), "machine": machine()}
        self.file(row, seed).write_text(json.dumps(result) + "\n")
        return result


def train_all(trial, rows, seeds, jobs, again):
    wanted = [(row, seed) for row in rows for seed in seeds if again or not trial.result(row, seed)]
    print(f"{len(wanted)} runs to train, {len(rows) * len(seeds) - len(wanted)} have a result in {trial.folder}", flush=True)
    through = []

    def one(job):
        row, seed = job
        try:
            result = trial.train(row, seed)
        except RuntimeError as error:
            print(f"{row['name']} seed {seed}: {error}", file=sys.stderr, flush=True)
            return False
        through.append(job)
        where = f"reached at {result['reached']:,} ({short(result['again'])})" if result["reached"] else "not reached"
        print(f"{len(through)}/{len(wanted)} {row['name']} seed {seed}: {where}, best {short(result['best'])}, "
              f"last {short(result['last'])}, {result['seconds']:.0f} s", flush=True)
        return True

    return all(at_a_time(jobs, one, wanted))


def short(value):
    return f"{value:.0f}" if abs(value) >= 10 else f"{value:.2f}"


def count_of(found):
    return sum(result["reached"] is not None for result in found)


def frames_cell(found):
    """The median and the extremes of the frames at which seeds have reached it; a seed that has not counts as later than all."""
    frames = sorted(result["reached"] or float("inf") for result in found)
    told = [f"{each:,}" if each < float("inf") else "-" for each in (statistics.median_low(frames), frames[0], frames[-1])]
    return told[0] if len(frames) == 1 or frames[0] == float("inf") else f"{told[0]} ({told[1]} to {told[2]})"


def returns_cell(found, which):
    values = [result[which] for result in found]
    return f"{short(statistics.median(values))} ({short(min(values))})"


def measured_cell(found):
    return " and ".join(sorted({f"{result['commit']}, {result['machine'].split(', ')[-1]}" for result in found}))


def link_to(manifest):
    return f"[{Path(manifest).stem}](../{manifest})"


def recipe_cell(part):
    changes = ", ".join(f"`{key} = {json.dumps(value)}`" for key, value in part.get("set", {}).items())
    return link_to(part["manifest"]) + (f" with {changes}" if changes else "")


def manifest_cell(row):
    return recipe_cell(row) + "".join(f"; `@{name}` is a run of {recipe_cell(first)}" for name, first in row.get("first", {}).items())


def cells(row, found):
    return [row["task"], row["algorithm"], manifest_cell(row), f"{row['threshold']} in {row['frames']:,}",
            f"{count_of(found)} of {len(found)}", frames_cell(found), returns_cell(found, "best"), returns_cell(found, "last"),
            f"{statistics.median(result['seconds'] for result in found):.0f}", measured_cell(found)]


HEADER = """
| task | algorithm | manifest | threshold | reached | frames | best | last | seconds | measured |
|---|---|---|---|---|---|---|---|---|---|
"""
PAGE = """# What learns

`bench/learning.py` writes this table. It trains the manifests below with seeds 0 to 19; rows of fewer were measured with the
first of these. Twenty times in a run, evenly over its frames, it plays 20 episodes with mode actions. A seed has *reached* the threshold at the
first of these checkpoints that reaches it, and reaches it again on 100 other episodes. No hyper-parameter depends on a seed, and
no seed was left out. *Frames* is the median over the seeds, with the fastest and the slowest seed; a dash means never. *Best* and
*last* are the best and the last evaluation of a run: the median over the seeds, with the worst seed. *Seconds* are of processor
time, the median over the seeds, including evaluations. Programs were compiled. *Measured* is the commit and the instruction level of
the machine.

{about}
"""
WORLDS = """
## Environments of others

`bench/learning.py --worlds` writes this table in the same way, with fewer evaluations in a run. *Seconds* include the simulator.

{about}
"""


def line(row, found, before):
    """The row of the page, or the one that stood there before where nothing was measured; none where nothing ever was."""
    if found:
        return "| " + " | ".join(cells(row, found)) + " |"
    cell = f"| {manifest_cell(row)} |"
    return next((each for each in before.splitlines() if cell in each and each[0] == "|"), None)


def part(intro, trial, rows, seeds, before):
    """A part of the page: what stands before its table, and the table."""
    lines = {row["name"]: line(row, trial.results(row, seeds), before) for row in rows}
    unknown = [manifest_cell(row) for row in rows if not lines[row["name"]]]
    rest = f"\nNot measured, and so not claimed: {', '.join(unknown)}.\n" if unknown else ""
    about = " ".join(row["about"].strip() for row in rows if "about" in row)
    return intro.format(about=about) + HEADER + "\n".join(each for each in lines.values() if each) + "\n" + rest


def write_page(path, intro, trial, rows, seeds):
    """Writes the part that begins with the heading of intro anew; the other parts stay as they are."""
    parts = re.split(r"\n(?=## )", path.read_text())
    heading = intro.strip().splitlines()[0]
    before = next((each for each in parts if each.startswith(heading)), None)
    now = part(intro, trial, rows, seeds, before or "").strip("\n") + "\n"
    if before is None:
        parts.insert(1, now)
    else:
        parts[parts.index(before)] = now
    path.write_text("\n".join(parts))


def summary(trial, rows, seeds):
    """A line a row, and whether each row misses no more seeds than it may."""
    fine = True
    for row in rows:
        found = trial.results(row, seeds)
        if not found:
            continue
        missed = [result["seed"] for result in found if result["reached"] is None]
        print(f"{row['name']}: {count_of(found)} of {len(found)} reach {row['threshold']}, at {frames_cell(found)} frames; "
              f"best {returns_cell(found, 'best')}, last {returns_cell(found, 'last')}" + (f"; not {missed}" if missed else ""))
        if len(missed) > row["may_miss"]:
            print(f"  too few: {row['may_miss']} may miss it")
            fine = False
    return fine


def main():
    parser = options(__doc__, "rows whose manifest's name", "learning", "docs/results.md", "0-19")
    parser.add_argument("--again", action="store_true", help="train what has a result, too")
    parser.add_argument("--worlds", action="store_true", help="environments that others have written, by 5 seeds")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="what a trial changes in every manifest")
    if "--worlds" in sys.argv:
        parser.set_defaults(folder=ROOT / "runs" / "worlds", seeds=seeds_of("0-4"))
    given = parser.parse_args()
    every_row = rows_of(ROOT / "bench" / ("worlds.toml" if given.worlds else "learning.toml"))
    rows = [row for row in every_row if given.only in row["name"]]
    if not rows:
        parser.error(f"no row's manifest has '{given.only}' in its name: {', '.join(row['name'] for row in every_row)}")
    if given.set and given.folder == parser.get_default("folder"):
        parser.error("--set needs a --folder of its own: the results of a trial are not those of the manifest")
    given.folder.mkdir(parents=True, exist_ok=True)
    trial = Trial(given.program, given.folder, given.executor, given.set)
    if given.page:
        write_page(ROOT / "docs" / "results.md", WORLDS if given.worlds else PAGE, trial, every_row, given.seeds)
        return 0
    trained = train_all(trial, rows, given.seeds, given.jobs, given.again)
    return 0 if summary(trial, rows, given.seeds) and trained else 1


if __name__ == "__main__":
    sys.exit(main())
