#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns from recorded frames alone, and says how near that comes to the policy that made them.

Of each task an agent is trained; 20,000 frames each are recorded of its best checkpoint (expert) and of one half-way there
(medium), as they act in training, noise and all, and of random actions. Each objective learns from each set,
with several seeds, for 10,000 updates, and is scored on 100 episodes of mode actions: 0 is what random actions return, 100 what
the expert does on the same episodes. --page adds docs/results.md's second part.

    bench/offline.py                          everything, seeds 0 to 4, two runs at a time
    bench/offline.py --only cql_pendulum      those manifests whose name has this in it
"""

import json
import shutil
import statistics
import sys

from runs import ROOT, at_a_time, evaluations, options, other_return, put_part, tenon, train

FRAMES = 20_000
UPDATES = 10_000
SETS = ("expert", "medium", "random")
CANDIDATES = 5  # checkpoints that are looked at more closely before one of them is the medium one
# Who makes the frames, with what settings and how often looked at, and what learns from them. The objectives after "compared"
# are not made for data that somebody else has collected.
TASKS = {
    "pendulum": {
        "env": "Pendulum-v1", "maker": "sac_pendulum", "every": 100,
        "settings": {"env.lanes": 1, "train.batch": 1, "train.updates_per_batch": 1},
        "objectives": ("cql", "iql", "awr", "td3_bc", "bc"), "compared": ("sac", "td3"),
    },
    "cartpole": {
        "env": "CartPole-v1", "maker": "dqn_cartpole", "every": 1_000,
        "settings": {"env.lanes": 1, "run.stop_at_return": 490},
        "objectives": ("cql", "iql", "bc"), "compared": ("dqn",),
    },
}


def record(program, source, out, *words):
    return tenon(program, "record", source, "--frames", FRAMES, "--out", out, "--json", *words)["return_mean"]


def sets_of(program, folder, task):
    """What the three policies return by mode actions, and with their noise in the frames; made once."""
    known = folder / f"{task}.json"
    if known.exists():
        return json.loads(known.read_text())
    maker, run = TASKS[task], folder / task
    shutil.rmtree(run, ignore_errors=True)
    settings = {**maker["settings"], "eval.every_frames": maker["every"], "checkpoint.every_frames": maker["every"],
                "checkpoint.keep": 1000, "checkpoint.buffer": "false", "log.tensorboard": "false", "run.executor": '"compiled"'}
    train(program, ROOT / "manifests" / f"{maker['maker']}.toml", run, settings)
    files = {name: folder / f"{task}-{name}.frames" for name in SETS}
    for file in files.values():
        file.unlink(missing_ok=True)
    returns = {"expert": other_return(program, run, "best"), "random": record(program, run, files["random"], "--actions", "random"),
               "expert_frames": record(program, run, files["expert"], "--checkpoint", "best", "--actions", "sample")}
    half = (returns["expert"] + returns["random"]) / 2
    near = sorted(evaluations(run), key=lambda at: abs(at[1] - half))[:CANDIDATES]
    scored = {frames: other_return(program, run, frames) for frames, _ in near}
    middle = min(scored, key=lambda frames: abs(scored[frames] - half))
    returns |= {"medium": scored[middle], "medium_at": middle,
                "medium_frames": record(program, run, files["medium"], "--checkpoint", middle, "--actions", "sample")}
    known.write_text(json.dumps(returns) + "\n")
    return returns


def score(value, returns):
    return 100 * (value - returns["random"]) / (returns["expert"] - returns["random"])


def learnt(program, folder, task, objective, name, seed, executor):
    run = folder / f"{objective}_{task}-{name}-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    settings = {"buffer.init": f'"{folder / f"{task}-{name}.frames"}"', "train.total_updates": UPDATES, "eval.every_updates": 0,
                "run.executor": f'"{executor}"', "log.tensorboard": "false"}
    train(program, ROOT / "manifests" / "offline" / f"{objective}_{task}.toml", run, settings, "--seed", seed)
    value = other_return(program, run, "last")
    shutil.rmtree(run)
    return value


def result_of(folder, task, objective, name, seed):
    return folder / f"{objective}_{task}-{name}-{seed}.json"


def objectives_of(task):
    return TASKS[task]["objectives"] + TASKS[task]["compared"]


def learn_all(program, folder, rows, seeds, jobs, executor):
    wanted = [(*row, n, s) for s in seeds for row in rows for n in SETS if not result_of(folder, *row, n, s).exists()]

    def one(job):
        value = learnt(program, folder, *job, executor)
        result_of(folder, *job).write_text(json.dumps({"return": value}) + "\n")
        print(*job, f"{value:.1f}", flush=True)

    at_a_time(jobs, one, wanted)


def cell(folder, row, name, seeds, returns):
    files = [result_of(folder, *row, name, seed) for seed in seeds]
    found = [score(json.loads(file.read_text())["return"], returns) for file in files if file.exists()]
    short = "" if len(found) == len(seeds) else f", {len(found)} of {len(seeds)} seeds"
    return f"{statistics.median(found):.0f} ({min(found):.0f} to {max(found):.0f}{short})" if found else "-"


def table(folder, task, seeds, returns):
    about = TASKS[task]
    yield (f"\n{about['env']}, by [{about['maker']}](../manifests/{about['maker']}.toml). Random actions return "
           f"{returns['random']:.0f}; the expert {returns['expert']:.0f}, in the frames {returns['expert_frames']:.0f}; the medium "
           f"policy {returns['medium']:.0f}, in the frames {returns['medium_frames']:.0f}.\n")
    yield "| objective | expert | medium | random |\n|---|---|---|---|"
    yield f"| what made the frames | {' | '.join(f'{score(returns[name], returns):.0f}' for name in SETS)} |"
    for objective in objectives_of(task):
        cells = " | ".join(cell(folder, (task, objective), name, seeds, returns) for name in SETS)
        what = f"{objective}, to compare" if objective in about["compared"] else objective
        yield f"| [{what}](../manifests/offline/{objective}_{task}.toml) | {cells} |"


PART = """## From frames alone

`bench/offline.py` writes these tables. The frames are 20,000 each of a policy that has learnt a task (expert), of a half-trained
policy (medium) and of random actions. The policies act as in training, with exploration noise. Each objective learns for 10,000
updates. Its score is the return of 100 episodes with mode actions, scaled so that random actions have 0 and the expert has 100 on
the same episodes. The tables show the median of the seeds ({seeds}), with the minimum and the maximum.
"""


def write_page(folder, seeds):
    path = ROOT / "docs" / "results.md"
    text = PART.format(seeds=", ".join(map(str, seeds)))
    for task in TASKS:
        if (folder / f"{task}.json").exists():
            text += "\n".join(table(folder, task, seeds, sets_of(None, folder, task))) + "\n"
    put_part(path, text)


def main():
    parser = options(__doc__, "manifests whose name", "offline", "the part of docs/results.md", "0-4")
    given = parser.parse_args()
    every_row = [(task, objective) for task in TASKS for objective in objectives_of(task)]
    rows = [row for row in every_row if given.only in f"{row[1]}_{row[0]}"]
    if not rows:
        parser.error(f"no manifest has '{given.only}' in its name: {', '.join(f'{o}_{t}' for t, o in every_row)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.page:
        write_page(given.folder, given.seeds)
        return 0
    for task in dict.fromkeys(task for task, _ in rows):
        print(task, json.dumps(sets_of(given.program, given.folder, task)), flush=True)
    learn_all(given.program, given.folder, rows, given.seeds, given.jobs, given.executor)
    return 0


if __name__ == "__main__":
    sys.exit(main())
