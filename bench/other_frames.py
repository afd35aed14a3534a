#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns with the frames of another policy beside its own: imitation by two objectives, cloning of an expert that is asked, and a
mixture of two buffers.

The frames are those of bench/offline.py, in its folder: 4,000 of the expert (20 episodes), and 20,000 of the half-trained
policy; on Reach-v0 20 episodes of an expert with the same recipe, and on HalfCheetah-v5 of SAC, which is stopped early. Each row is
trained with several seeds, and its best and its last checkpoint play 100 episodes by mode actions. --page writes docs/results.md's section.

    bench/other_frames.py                 everything, seeds 0 to 4, two runs at a time
    bench/other_frames.py --only gail     those rows whose manifest has this in its name
"""

import json
import re
import shutil
import statistics
import subprocess
import sys

from offline import sets_of
from runs import ROOT, at_a_time, commit, machine, options, other_return, put_part, tenon, train

EXPERT_FRAMES = 4_000
ALONE = {"env.lanes": 1, "train.batch": 1, "train.updates_per_batch": 1, "log.tensorboard": "false", "run.executor": '"compiled"'}
# Experts of other tasks: the manifest, what else is set, the frames of 20 episodes.
EXPERTS = {
    "reach": ("sac_pendulum", {**ALONE, "env.plugin": '"small/Reach-v0"', "eval.every_frames": 1_000, "run.total_frames": 10_000}, 2_000),
    "half-cheetah": ("sac_half_cheetah", {**ALONE, "eval.every_frames": 5_000, "run.stop_at_return": 3_000}, 20_000),
}
# The manifest, which frames it takes, where, and what else is set; what a row shows.
ROWS = {
    "gail": ("gail_pendulum", "expert", "buffer.expert.init", {}, "the reward is the discriminator's"),
    "gail-penalty": ("gail_pendulum", "expert", "buffer.expert.init",
                     {"objective.0.gradient_penalty": "true", "objective.0.penalty_of": '"logit"', "objective.0.penalty_coefficient": 1.0},
                     "the slope of its logit is kept near 1"),
    "gail-control": ("gail_pendulum", "expert", "buffer.expert.init", {"optimiser.imitation.lr": 0.0},
                     "the discriminator does not learn"),
    "airl": ("airl_pendulum", "expert", "buffer.expert.init", {}, "the reward is the logit of a discriminator with a reward in it"),
    "gail-reach": ("gail_reach", "reach", "buffer.expert.init", {}, "on Reach-v0"),
    "airl-reach": ("airl_reach", "reach", "buffer.expert.init", {}, "on Reach-v0, with the logit of a discriminator with a reward in it"),
    "gail-half-cheetah": ("gail_half_cheetah", "half-cheetah", "buffer.expert.init", {}, "on HalfCheetah-v5"),
    "bc": ("offline/bc_pendulum", "expert", "buffer.init", {}, "clones the 20 episodes, without playing"),
    "dagger": ("dagger_pendulum", "network", "policy.expert.init", {}, "clones what the expert says of the states that it comes to"),
    "mixture": ("offline_to_online_pendulum", "medium", "buffer.offline.init", {}, "half of the rows are the medium policy's"),
    "mixture-control": ("offline_to_online_pendulum", "medium", "buffer.offline.init", {"objective.buffer": '"online"'},
                        "its own frames only"),
}


def network_of(program, folder):
    """The expert's weights as those of the network "expert"."""
    run = folder / "pendulum-expert-network"
    if not run.exists():
        weights = folder / "pendulum-expert.safetensors"
        for words in (["export", folder / "pendulum", "--checkpoint", "best", "--format", "safetensors", "--out", weights],
                      ["import", weights, "--manifest", ROOT / "manifests" / "dagger_pendulum.toml", "--map", "actor/=expert/", "--out", run]):
            subprocess.run([program, *words], check=True, capture_output=True)
    return run


def expert_of(program, folder, task):
    """The frames of an expert on another task, and what it and random actions return there; made once."""
    manifest, settings, frames = EXPERTS[task]
    file, known, run = folder / f"{task}-expert-20.frames", folder / f"{task}.json", folder / task
    if not known.exists():
        shutil.rmtree(run, ignore_errors=True)
        file.unlink(missing_ok=True)
        train(program, ROOT / "manifests" / f"{manifest}.toml", run, settings)
        tenon(program, "record", run, "--checkpoint", "best", "--frames", frames, "--out", file, "--json")
        random = folder / f"{task}-random.frames"
        random.unlink(missing_ok=True)
        told = {"expert": other_return(program, run, "best"),
                "random": tenon(program, "record", run, "--actions", "random", "--frames", 10 * frames, "--out", random, "--json")["return_mean"]}
        known.write_text(json.dumps(told) + "\n")
    return file, json.loads(known.read_text())


def frames_of(program, folder, which):
    if which in EXPERTS:
        return expert_of(program, folder, which)[0]
    if which == "network":
        return network_of(program, folder)
    if which != "expert":
        return folder / f"pendulum-{which}.frames"
    file = folder / "pendulum-expert-20.frames"
    if not file.exists():
        tenon(program, "record", folder / "pendulum", "--checkpoint", "best", "--frames", EXPERT_FRAMES, "--out", file, "--json")
    return file


def result_of(folder, row, seed):
    return folder / f"beside-{row}-{seed}.json"


def learn_all(program, folder, rows, seeds, jobs, executor):
    def one(job):
        row, seed = job
        manifest, which, key, settings, _ = ROWS[row]
        run = folder / f"beside-{row}-{seed}"
        shutil.rmtree(run, ignore_errors=True)
        given = {key: json.dumps(str(frames_of(program, folder, which).resolve())), **settings, "run.executor": f'"{executor}"',
                 "log.tensorboard": "false"}
        result = train(program, ROOT / "manifests" / f"{manifest}.toml", run, given, "--seed", seed)
        found = {name: other_return(program, run, name) for name in ("best", "last")}
        found |= {"seconds": result["cpu_seconds"], "frames": result["frames"], "commit": commit(), "machine": machine()}
        result_of(folder, row, seed).write_text(json.dumps(found) + "\n")
        shutil.rmtree(run)
        print(row, seed, json.dumps(found), flush=True)

    at_a_time(jobs, one, [(row, seed) for seed in seeds for row in rows if not result_of(folder, row, seed).exists()])


def first_cell(row):
    manifest, about = ROWS[row][0], ROWS[row][-1]
    return f"| [{manifest}](../manifests/{manifest}.toml): {about} |"


def line(folder, row, seeds, page):
    """The row of the page; the present one if this folder has no results of it."""
    found = [json.loads(file.read_text()) for file in (result_of(folder, row, seed) for seed in seeds) if file.exists()]
    if not found:
        return next((text for text in page.splitlines() if text.startswith(first_cell(row))), "")
    cells = [f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"
             for values in ([one[name] for one in found] for name in ("best", "last"))]
    by = " and ".join(sorted({f"{one['commit']}, {one['machine'].split(', ')[-1]}" for one in found}))
    return (f"{first_cell(row)} {found[0]['frames']:,} | {len(found)} | {cells[0]} | {cells[1]} | "
            f"{statistics.median(one['seconds'] for one in found):.0f} | {by} |")


def about_frames(program, folder, page):
    """What the policies return whose frames are learnt from; what the page says if this folder has no results of a task."""
    said = []
    for file, pattern, told in (
        ("pendulum.json", r"20 episodes of the expert,.*?random actions return -?[\d,]+[;.]",
         lambda: "20 episodes of the expert, which returns\n{expert:.0f}, and 20,000 frames of the medium policy, which returns {medium:.0f}; "
                 "random actions return {random:.0f}.".format(**sets_of(program, folder, "pendulum"))),
        ("reach.json", r"On Reach-v0 the expert.*?return -?[\d,]+\.",
         lambda: "On Reach-v0 the expert, of the same recipe and with 20 episodes, too, returns {expert:.0f}, and random actions return {random:.0f}.".format(**expert_of(program, folder, "reach")[1])),
        ("half-cheetah.json", r"On HalfCheetah-v5 the expert.*?return -?[\d,]+\.",
         lambda: "On HalfCheetah-v5 the expert is SAC, stopped at the first evaluation above 3,000. Its mode actions return {expert:.0f}, and random\n"
                 "actions return {random:.0f}.".format(**expert_of(program, folder, "half-cheetah")[1]))):
        known = re.search(pattern, page, re.DOTALL)
        said.append(told() if (folder / file).exists() or known is None else known.group())
    return "\n".join(said)


def write_page(program, folder, seeds):
    path = ROOT / "docs" / "results.md"
    text = f"""## With another policy's frames

`bench/other_frames.py` writes this table, with the frames of the next section: {about_frames(program, folder, path.read_text())}
The returns are of 100 episodes with mode actions, of each run's best and last checkpoint: the median of the seeds, with the
minimum and the maximum. Seconds are of processor time.

| manifest | frames | seeds | best | last | seconds | measured |
|---|---|---|---|---|---|---|
"""
    text += "\n".join(filter(None, (line(folder, row, seeds, path.read_text()) for row in ROWS))) + "\n"
    put_part(path, text, before="## From frames alone")


def main():
    parser = options(__doc__, "rows whose name", "offline", "its section of docs/results.md", "0-4")
    given = parser.parse_args()
    rows = [row for row in ROWS if given.only in row]
    if not rows:
        parser.error(f"no row has '{given.only}' in its name: {', '.join(ROWS)}")
    given.folder.mkdir(parents=True, exist_ok=True)
    if not given.page:
        for which in {ROWS[row][1] for row in rows}:  # before runs that go side by side
            if which not in EXPERTS:
                sets_of(given.program, given.folder, "pendulum")
            frames_of(given.program, given.folder, which)
        learn_all(given.program, given.folder, rows, given.seeds, given.jobs, given.executor)
        return 0
    write_page(given.program, given.folder, given.seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
