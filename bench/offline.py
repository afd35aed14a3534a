#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns from recorded frames alone, and says how near that comes to the policy that made them.

Soft actor-critic is trained on Pendulum-v1; of its best checkpoint (expert), of one half-way (medium) and of random actions
20,000 frames each are recorded. Each objective learns from each set, with several seeds, for 10,000 updates, and is scored on
100 episodes of mode actions: 0 is what random actions return, 100 the expert. --page adds docs/results.md's second part.

    bench/offline.py                 every objective, seeds 0 to 4, two runs at a time
    bench/offline.py --only cql      those whose name has this in it
"""

import json
import shutil
import statistics
import sys

from runs import ROOT, at_a_time, evaluations, options, other_return, tenon, train

FRAMES = 20_000
UPDATES = 10_000
SETS = ("expert", "medium", "random")
# The last two are there to compare with: they are not made for data that somebody else has collected.
OBJECTIVES = ("cql", "iql", "td3_bc", "bc", "sac", "td3")


def record(program, source, out, *words):
    done = tenon(program, "record", source, "--frames", FRAMES, "--out", out, "--json", *words)
    return done["return_mean"]


def sets_of(program, folder):
    """The three sets and what their makers return; made once."""
    known = folder / "sets.json"
    if known.exists():
        return json.loads(known.read_text())
    run = folder / "expert"
    shutil.rmtree(run, ignore_errors=True)
    manifest = ROOT / "manifests" / "sac_pendulum.toml"
    settings = {"eval.every_frames": 500, "checkpoint.every_frames": 500, "checkpoint.keep": 1000, "checkpoint.buffer": "false",
                "env.lanes": 1, "train.batch": 1, "train.updates_per_batch": 1, "run.executor": '"compiled"'}
    train(program, manifest, run, settings)
    files = {name: folder / f"{name}.frames" for name in SETS}
    for file in files.values():
        file.unlink(missing_ok=True)
    returns = {"expert": record(program, run, files["expert"], "--actions", "mode"),
               "random": record(program, run, files["random"], "--actions", "random")}
    half = (returns["expert"] + returns["random"]) / 2
    middle = min(evaluations(run), key=lambda at: abs(at[1] - half))[0]
    returns["medium"] = record(program, run, files["medium"], "--checkpoint", middle, "--actions", "mode")
    known.write_text(json.dumps(returns) + "\n")
    return returns


def score(value, returns):
    return 100 * (value - returns["random"]) / (returns["expert"] - returns["random"])


def learnt(program, folder, objective, name, seed, executor):
    run = folder / f"{objective}-{name}-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    manifest = ROOT / "manifests" / "offline" / f"{objective}_pendulum.toml"
    settings = {"buffer.init": f'"{folder / f"{name}.frames"}"', "train.total_updates": UPDATES, "eval.every_updates": 0,
                "run.executor": f'"{executor}"', "log.tensorboard": "false"}
    train(program, manifest, run, settings, "--seed", seed)
    value = other_return(program, run, "last")
    shutil.rmtree(run)
    return value


def result_of(folder, objective, name, seed):
    return folder / f"{objective}-{name}-{seed}.json"


def learn_all(program, folder, objectives, seeds, jobs, executor):
    wanted = [(o, n, s) for o in objectives for n in SETS for s in seeds if not result_of(folder, o, n, s).exists()]

    def one(job):
        value = learnt(program, folder, *job, executor)
        result_of(folder, *job).write_text(json.dumps({"return": value}) + "\n")
        print(*job, f"{value:.1f}", flush=True)

    at_a_time(jobs, one, wanted)


def cell(folder, objective, name, seeds, returns):
    files = [result_of(folder, objective, name, seed) for seed in seeds]
    found = [score(json.loads(file.read_text())["return"], returns) for file in files if file.exists()]
    return f"{statistics.median(found):.0f} ({min(found):.0f} to {max(found):.0f})" if found else "-"


def page(folder, seeds):
    returns = sets_of(None, folder)
    maker = " | ".join(f"{score(returns[name], returns):.0f}" for name in SETS)
    lines = [f"| what made the frames | {maker} |"]
    for objective in OBJECTIVES:
        cells = " | ".join(cell(folder, objective, name, seeds, returns) for name in SETS)
        lines.append(f"| [{objective}](../manifests/offline/{objective}_pendulum.toml) | {cells} |")
    return lines


HEADING = "\n## From frames alone\n"
SECTION = HEADING + """
Written by `bench/offline.py`: 20,000 frames each of a policy that SAC has learnt on Pendulum-v1 (expert), of one half-way
there and of random actions, 10,000 updates, the score of 100 episodes of mode actions after the last: 0 is what random actions return
({random:.0f}), 100 the expert ({expert:.0f}). The median of the seeds ({seeds}), the least and the most. SAC and TD3 are there
to compare with.

| objective | expert | medium | random |
|---|---|---|---|
"""


def write_page(folder, seeds):
    path = ROOT / "docs" / "results.md"
    first = path.read_text().split(HEADING)[0]
    path.write_text(first + SECTION.format(**sets_of(None, folder), seeds=", ".join(map(str, seeds))) + "\n".join(page(folder, seeds)) + "\n")


def main():
    parser = options(__doc__, "objectives whose name", "offline", "the part of docs/results.md")
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    objectives = [objective for objective in OBJECTIVES if given.only in objective]
    if not objectives:
        parser.error(f"no objective has '{given.only}' in its name: {', '.join(OBJECTIVES)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.page:
        write_page(given.folder, seeds)
        return 0
    print(json.dumps(sets_of(given.program, given.folder)), flush=True)
    learn_all(given.program, given.folder, objectives, seeds, given.jobs, given.executor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
