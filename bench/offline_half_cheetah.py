#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns HalfCheetah-v5 from recorded frames alone, beside behaviour cloning of the same frames.

SAC is trained until it is half-trained: until an evaluation returns 3,500, of the 8,000 and more that it reaches in 300,000 frames.
Two sets come of that: 100,000 frames of this policy, drawn from its distribution (medium), and all that it had collected so far
(replay). Each objective makes 20,000 updates on each set, and 60,000 on the first one, with several seeds; Decision Transformer makes 10,000.
The score is that of 100 episodes of mode actions.
--page adds the part of docs/results.md. VIRTUAL_ENV names an environment with gymnasium, which has the cheetah's model.

    bench/offline_half_cheetah.py                        everything, seeds 0 to 2, two runs at a time
    bench/offline_half_cheetah.py --only iql-replay      those runs whose name has this in it
"""

import json
import shutil
import statistics
import sys

from runs import ROOT, at_a_time, commit, machine, options, other_return, put_part, tenon, train

MAKER = ROOT / "manifests" / "sac_half_cheetah.toml"
HALF_TRAINED = {"env.lanes": 1, "train.batch": 1, "train.updates_per_batch": 1, "run.stop_at_return": 3500, "eval.every_frames": 5000,
                "checkpoint.buffer": "false", "log.tensorboard": "false"}
FRAMES = 100_000
# The frames and the number of updates on them. The last one shows what more updates change.
SETS = {"medium": ("medium", 20_000), "replay": ("replay", 20_000), "medium-long": ("medium", 60_000)}
OBJECTIVES = ("cql", "iql", "td3_bc", "bc", "best_bc", "dt")
MOST = {"dt": 10_000}  # updates: each is of whole windows of steps


def sets_of(program, folder):
    """What is known about the two sets, which are made once."""
    known = folder / "sets.json"
    if known.exists():
        return json.loads(known.read_text())
    run = folder / "sac"
    shutil.rmtree(run, ignore_errors=True)
    made = train(program, MAKER, run, {**HALF_TRAINED, "collector.record": f'"{folder / "replay.frames"}"'})
    medium = tenon(program, "record", run, "--checkpoint", "last", "--actions", "sample", "--frames", FRAMES,
                   "--out", folder / "medium.frames", "--json")
    replay = tenon(program, "data", "info", folder / "replay.frames", "--json")
    about = {"after": made["frames"], "policy": other_return(program, run, "last"), "medium": medium["return_mean"],
             "replay": replay["return_mean"], "replay_frames": replay["frames"]}
    known.write_text(json.dumps(about) + "\n")
    return about


def result_of(folder, objective, name, seed):
    return folder / f"{objective}-{name}-{seed}.json"


def updates_of(objective, name):
    return min(SETS[name][1], MOST.get(objective, SETS[name][1]))


def learn_all(program, folder, rows, seeds, jobs, executor):
    def one(job):
        objective, name, seed = job
        run = folder / "-".join(map(str, job))
        shutil.rmtree(run, ignore_errors=True)
        frames, updates = SETS[name][0], updates_of(objective, name)
        settings = {"buffer.init": f'"{folder / f"{frames}.frames"}"', "train.total_updates": updates, "eval.every_updates": 0, "run.executor": f'"{executor}"',
                    "log.tensorboard": "false"}
        used = train(program, ROOT / "manifests" / "offline" / f"{objective}_half_cheetah.toml", run, settings, "--seed", seed)
        found = {"return": other_return(program, run, "last"), "seconds": used["cpu_seconds"],
                 "commit": commit(), "machine": machine()}
        result_of(folder, *job).write_text(json.dumps(found) + "\n")
        shutil.rmtree(run)
        print(*job, json.dumps(found), flush=True)

    at_a_time(jobs, one, [(*row, seed) for seed in seeds for row in rows if not result_of(folder, *row, seed).exists()])


def results_of(folder, objective, name, seeds):
    return [json.loads(file.read_text()) for file in (result_of(folder, objective, name, seed) for seed in seeds) if file.exists()]


def line(folder, objective, seeds):
    cells = []
    everything = []
    for name in SETS:
        found = results_of(folder, objective, name, seeds)
        everything += [{**one, "each": 1e3 * one["seconds"] / updates_of(objective, name)} for one in found]
        values = [one["return"] for one in found]
        about = [f"{min(values):.0f} to {max(values):.0f}"] if len(found) > 1 else []
        about += [f"{len(found)} of {len(seeds)} seeds"] if len(found) < len(seeds) else []
        rest = f" ({', '.join(about)})" if about else ""
        cells.append(f"{statistics.median(values):.0f}{rest}" if found else "-")
    if not everything:
        return None
    each = statistics.median(one["each"] for one in everything)
    by = " and ".join(sorted({f"{one['commit']}, {one['machine'].split(', ')[-1]}" for one in everything}))
    return f"| [{objective}](../manifests/offline/{objective}_half_cheetah.toml) | {' | '.join(cells)} | {each:.1f} | {by} |"


PART = """## HalfCheetah from frames alone

`bench/offline_half_cheetah.py` writes this table. [sac_half_cheetah](../manifests/sac_half_cheetah.toml), with one lane and an update
a frame, was stopped at an evaluation above 3,500, after {after:,} frames; its mode actions return {policy:.0f}. *medium* is 100,000 frames of
this policy, as it acts in training (a mean return of {medium:.0f}); *replay* is what it had collected, {replay_frames:,} frames with a mean return of
{replay:.0f}. Each objective makes 20,000 updates on each (*dt*, Decision Transformer, 10,000, and it is asked for 3,800; *best_bc* clones the best tenth), and 60,000 on the first: 20,000 are few for values with a discount of 0.99 and
targets that follow by 0.005 an update. Published results are of a million. The numbers are returns of 100 episodes with mode actions:
the median of the seeds ({seeds}; rows of c1e562a8 have the first two), with the minimum and the maximum. Milliseconds are of processor time, for an update on a shared core.

| objective | medium | replay | medium, 60,000 updates | ms | measured |
|---|---|---|---|---|---|
"""


def line_before(page, objective):
    """The row that stood in the page, where nothing was measured anew."""
    return next((each for each in page.splitlines() if f"/{objective}_half_cheetah.toml) |" in each and each.startswith("| [")), None)


def write_page(folder, seeds):
    page = (ROOT / "docs" / "results.md").read_text()
    lines = [each for each in (line(folder, objective, seeds) or line_before(page, objective) for objective in OBJECTIVES) if each]
    text = PART.format(**sets_of(None, folder), seeds=", ".join(map(str, seeds)))
    put_part(ROOT / "docs" / "results.md", text + "\n".join(lines) + "\n")


def main():
    parser = options(__doc__, "runs whose name", "offline_half_cheetah", "its part of docs/results.md", "0-2")
    given = parser.parse_args()
    every_row = [(objective, name) for name in SETS for objective in OBJECTIVES if name != "medium-long" or objective not in MOST]
    rows = [row for row in every_row if given.only in "-".join(row)]
    if not rows:
        parser.error(f"no run has '{given.only}' in its name: {', '.join(map('-'.join, every_row))}")
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.page:
        write_page(given.folder, given.seeds)
        return 0
    print(json.dumps(sets_of(given.program, given.folder)), flush=True)
    learn_all(given.program, given.folder, rows, given.seeds, given.jobs, given.executor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
