#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Learns the ways past the wall of Fork-v0 from demonstrations that take all three, and says which ways each learner walks.

5,000 frames of small/fork_guide are recorded once. ACT and the diffusion policy of manifests/offline learn from them with several
seeds, and so do what they are compared with: clones of chunks and of single actions, by l1 and l2. Each then walks 100 episodes
that no evaluation has walked. --page writes this part of docs/results.md.

    bench/imitation.py                     everything, seeds 0 to 4, two runs at a time
    bench/imitation.py --only diffusion    those learners whose name has this in it
"""

import json
import shutil
import statistics
import struct
import sys

from runs import OTHER_SEED, ROOT, at_a_time, commit, machine, options, put_part, tenon, train

FRAMES = 5_000
OFFLINE = ROOT / "manifests" / "offline"
CLONE = """include = ["{act}"]
remove = ["policy.actor", "objective", "buffer.after", "buffer.columns"]
[policy.actor]
plugin = "mlp/deterministic"
hidden = [256, 256]
activation = "relu"
[buffer]
plugin = "replay/uniform"
[objective]
plugin = "bc/bc"
[eval]
actions = "mode"
"""
LEARNERS = {
    "act_fork": ("ACT", "act_fork", {}),
    "diffusion_fork": ("diffusion policy, DDPM", "diffusion_fork", {}),
    "diffusion_ddim": ("diffusion policy, DDIM of 10 steps", "diffusion_fork", {"policy.actor.sampler": '"ddim"'}),
    "chunks_l1": ("clone of chunks by l1", "act_fork", {"policy.actor.latent_size": 0, "objective.loss": '"l1"'}),
    "chunks_l2": ("clone of chunks by l2", "act_fork", {"policy.actor.latent_size": 0, "objective.loss": '"l2"'}),
    "actions_l1": ("clone of actions by l1", None, {"objective.loss": '"l1"'}),
    "actions_l2": ("clone of actions by l2", None, {"objective.loss": '"l2"'}),
}


def ways(path):
    """How many of the first 100 episodes of a recording arrived on each way, and how many did not."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])

    def column(name, code):
        begin, end = header[name]["data_offsets"]
        return struct.unpack(f"<{(end - begin) // struct.calcsize(code)}{code}", data[8 + size + begin:8 + size + end])

    action, reward = column("action", "f"), column("reward", "f")
    begins, ended = column("is_init", "?"), column("terminated", "?")
    out, first = {"left": 0, "right": 0, "over": 0, "lost": 0}, 0
    for at in range(len(reward) - 1):
        first = at if begins[at] else first
        if ended[at] and sum(out.values()) < 100:
            sideways, up = action[2 * first:2 * first + 2]
            out["lost" if reward[at] == 0 else "over" if up > 0.5 else "left" if sideways < 0 else "right"] += 1
    return out


def learnt(program, folder, name, seed, executor):
    about, manifest, settings = LEARNERS[name]
    path = OFFLINE / f"{manifest}.toml"
    if manifest is None:
        path = folder / "clone.toml"
        path.write_text(CLONE.format(act=OFFLINE / "act_fork.toml"))
    run, recorded = folder / f"{name}-{seed}", folder / f"{name}-{seed}.frames"
    shutil.rmtree(run, ignore_errors=True)
    recorded.unlink(missing_ok=True)
    every = {"buffer.init": f'"{folder / "fork.frames"}"', "eval.every_updates": 0, "run.executor": f'"{executor}"', "log.tensorboard": "false"}
    done = train(program, path, run, {**every, **settings}, "--seed", seed)
    actions = "mode" if "clone" in about else "sample"
    tenon(program, "record", run, "--checkpoint", "last", "--actions", actions, "--frames", 1_100, "--seed", OTHER_SEED, "--out", recorded, "--json")
    result = {**ways(recorded), "seconds": done["cpu_seconds"], "commit": commit(), "machine": machine()}
    shutil.rmtree(run)
    recorded.unlink()
    print(f"{name} seed {seed}: {result}", flush=True)
    (folder / f"{name}-{seed}.json").write_text(json.dumps(result) + "\n")


def page(folder):
    lines = ["## Ways past a wall", "", "By `bench/imitation.py`, which says how: of 100 episodes of Fork-v0, on which way they arrived, as the median over "
             "seeds and the worst of them. The demonstrations go left and right in 40 of 100 episodes each, and over the wall in 20.", "",
             "| learner | arrived | left | right | over | seeds | s | at |", "|---|---|---|---|---|---|---|---|"]
    for name, (about, _, _) in LEARNERS.items():
        found = [json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}-*.json"))]
        if not found:
            continue

        def cell(values):
            return f"{statistics.median(values):.0f} ({min(values)})"

        cells = [cell([100 - each["lost"] for each in found]), *(cell([each[way] for each in found]) for way in ("left", "right", "over"))]
        seconds = statistics.median(each["seconds"] for each in found)
        where = sorted({f"{each['commit']}, {each['machine'].split(', ')[-1]}" for each in found})
        lines.append(f"| {about} | {' | '.join(cells)} | {len(found)} | {seconds:.0f} | {'; '.join(where)} |")
    put_part(ROOT / "docs" / "results.md", "\n".join(lines) + "\n")


def main():
    arguments = options(__doc__, "learners whose name", "imitation", "docs/results.md", "0-4").parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if arguments.page:
        page(folder)
        return 0
    frames = folder / "fork.frames"
    if not frames.exists():
        tenon(arguments.program, "record", OFFLINE / "demonstrations" / "fork.toml", "--frames", FRAMES, "--out", frames, "--json")
    wanted = [(name, seed) for name in LEARNERS if arguments.only in name for seed in arguments.seeds]
    at_a_time(arguments.jobs, lambda each: learnt(arguments.program, folder, *each, arguments.executor), wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
