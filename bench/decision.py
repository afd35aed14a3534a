#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decision Transformer on frames of CartPole-v1 of mixed quality, beside cloning of their best tenth.

manifests/offline/demonstrations/cartpole.toml records the frames: a trained PPO plays, at first with random actions only, at the end with
one in five. manifests/offline/dt_cartpole.toml learns from them with several seeds, and is then asked for five returns, on episodes that no
evaluation has played. 10 % BC is manifests/offline/bc_cartpole.toml with replay/best. --page writes this part of docs/results.md.

    bench/decision.py                    everything, seeds 0 to 4, one run at a time
    bench/decision.py --only best_bc     those runs whose name has this in it
"""

import json
import shutil
import statistics
import sys

from runs import OTHER_SEED, ROOT, at_a_time, commit, machine, options, put_part, tenon, train

MANIFESTS = ROOT / "manifests"
ASKED = (500, 350, 200, 100, 50)
EPISODES = 50
QUIET = {"log.tensorboard": "false", "run.executor": '"compiled"'}


def asked(program, run, target=None):
    words = [] if target is None else ["--set", f"env.transforms.target_return.target={target}.0"]
    return tenon(program, "eval", run, "--checkpoint", "last", "--episodes", EPISODES, "--seed", OTHER_SEED, "--json", *words)["return_mean"]


def made_frames(program, folder):
    settings = QUIET
    (folder / "cartpole.frames").unlink(missing_ok=True)
    for name, manifest in (("ppo", "ppo_cartpole"), ("noisy", "offline/demonstrations/cartpole")):
        shutil.rmtree(folder / name, ignore_errors=True)
        train(program, MANIFESTS / f"{manifest}.toml", folder / name, settings)
        settings = {"policy.actor.init": f'"{folder / "ppo"}"', "collector.record": f'"{folder / "cartpole.frames"}"', **QUIET}
    about = tenon(program, "data", "info", folder / "cartpole.frames", "--json")
    return {key: about[key] for key in ("frames", "episodes", "return_mean")}


def frames_of(program, folder):
    """What is known about the frames, which are made once."""
    known = folder / "cartpole.json"
    if not known.exists():
        known.write_text(json.dumps(made_frames(program, folder)) + "\n")
    return json.loads(known.read_text())


def learn_cartpole(program, folder, seed):
    run = folder / f"dt-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    settings = {"buffer.init": f'"{folder / "cartpole.frames"}"', "eval.every_updates": 0, **QUIET}
    used = train(program, MANIFESTS / "offline" / "dt_cartpole.toml", run, settings, "--seed", seed)
    return {"seconds": used["cpu_seconds"], "asked": [asked(program, run, target) for target in ASKED]}


def clone_cartpole(program, folder, seed):
    run = folder / f"best_bc-{seed}"
    shutil.rmtree(run, ignore_errors=True)
    settings = {"buffer.init": f'"{folder / "cartpole.frames"}"', "buffer.capacity": 120_000, "buffer.plugin": '"replay/best"',
                "buffer.share": 0.1, "eval.every_updates": 0, **QUIET}
    used = train(program, MANIFESTS / "offline" / "bc_cartpole.toml", run, settings, "--seed", seed)
    return {"seconds": used["cpu_seconds"], "asked": [asked(program, run)]}


RUNS = {"dt_cartpole": learn_cartpole, "best_bc_cartpole": clone_cartpole}


def learnt(program, folder, name, seed):
    file = folder / f"{name}-{seed}.json"
    if file.exists():
        return
    found = {**RUNS[name](program, folder, seed), "commit": commit(), "machine": machine()}
    file.write_text(json.dumps(found) + "\n")
    print(name, seed, json.dumps(found), flush=True)


def results(folder, name):
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{name}-*.json"))]


def where(found):
    return "; ".join(sorted({f"{each['commit']}, {each['machine'].split(', ')[-1]}" for each in found}))


def span(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"


def page(folder):
    lines = ["## Asked for a return", "", f"`bench/decision.py` writes this part, and says how the frames are recorded. Returns are of {EPISODES} episodes of mode "
             "actions, which no evaluation has played: the median of the seeds, with the least and the largest. *Off* is the largest "
             "difference from what was asked for, in percent, as the median of the seeds and the worst of them.", ""]
    if found := results(folder, "dt_cartpole"):
        about = frames_of(None, folder)
        cloned = results(folder, "best_bc_cartpole")
        lines += [f"CartPole-v1, from {about['frames']:,} frames of {about['episodes']:,} episodes with a mean return of {about['return_mean']:.0f}.", "",
                  "| learner | " + " | ".join(map(str, ASKED)) + " | off | seeds | s | at |", "|---" * (len(ASKED) + 5) + "|"]
        off = [max(abs(got - target) / target for got, target in zip(each["asked"], ASKED)) * 100 for each in found]
        cells = [span([each["asked"][i] for each in found]) for i in range(len(ASKED))]
        lines.append(f"| [Decision Transformer](../manifests/offline/dt_cartpole.toml) | {' | '.join(cells)} | {statistics.median(off):.1f} ({max(off):.1f}) | "
                     f"{len(found)} | {statistics.median(each['seconds'] for each in found):.0f} | {where(found)} |")
        if cloned:
            lines.append(f"| 10 % BC, which cannot be asked | {span([each['asked'][0] for each in cloned])} |" + " |" * len(ASKED) +
                         f" {len(cloned)} | {statistics.median(each['seconds'] for each in cloned):.0f} | {where(cloned)} |")
        lines.append("")
    put_part(ROOT / "docs" / "results.md", "\n".join(lines).rstrip("\n") + "\n")


def main():
    parser = options(__doc__, "runs whose name", "decision", "its part of docs/results.md", "0-4")
    parser.set_defaults(jobs=1)
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    if given.page:
        page(folder)
        return 0
    names = [name for name in RUNS if given.only in name]
    if not names:
        parser.error(f"no run has '{given.only}' in its name: {', '.join(RUNS)}")
    print(json.dumps(frames_of(given.program, folder)), flush=True)
    at_a_time(given.jobs, lambda each: learnt(given.program, folder, *each), [(name, seed) for seed in given.seeds for name in names])
    return 0


if __name__ == "__main__":
    sys.exit(main())
