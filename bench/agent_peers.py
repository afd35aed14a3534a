# SPDX-License-Identifier: Apache-2.0
"""Tenon beside others with several agents, by turns on one core: bench/peers.py --agents.

- mappo, qmix, maddpg: an update at the sizes of TorchRL's recipes for `balance` (4,096 frames of three agents, two layers of 256),
  beside TorchRL, eager and by torch.compile. Tenon also chooses and gathers the rows. bench/agents has the manifests. The share is
  that of an update's time which its products take at the rate at which the core multiplies two matrices of 512 rows and columns.
- balance-600: frames of 600 environments, beside VMAS. spread: frames of 64 environments, beside mpe2, which has one. Actions are
  random on both sides; VMAS's and mpe2's times include drawing them.
- dreamer-v3: losses and gradients of the third Dreamer on Pendulum-v1, beside their limit: their products and functions, each at its best.

Times are of the processor, medians of the rounds.
"""

import datetime
import json
import resource
import statistics
import subprocess
from itertools import pairwise
from pathlib import Path

from peer_process import Peer, run_tenon
from runs import commit, machine
from sequence_peers import ask_peer, head, result_of, row

HERE = Path(__file__).resolve().parent
PROGRAM = "torchrl_agents_peer.py"
UPDATES = ["mappo", "qmix", "maddpg"]
ENVS = {"balance-600": {"ours": "small/Balance-v0", "lanes": 600, "env": "vmas", "envs": 600},
        "spread": {"ours": "small/Spread-v0", "lanes": 64, "env": "mpe2", "envs": 1}}  # fmt: skip
DREAMER = "dreamer-v3"
CASES = [*UPDATES, *ENVS, DREAMER]


def forward(rows, sizes):
    """Multiplications of layers of these sizes."""
    return sum(rows * inputs * outputs for inputs, outputs in pairwise(sizes))


def trained(rows, sizes):
    """Also those of the gradients of weights and of all layers' inputs but the first's."""
    return 2 * forward(rows, sizes) + forward(rows, sizes[1:])


def multiplications():
    """Those of each update's layers; what a mixer does with its weights is left out."""
    frames, rows = 4_096, 3 * 4_096
    of_state, joint, choices, moves = [[n, 256, 256, out] for n, out in [(48, 1), (54, 1), (16, 9), (16, 2)]]
    return {"mappo": trained(rows, [16, 256, 256, 4]) + trained(frames, of_state),
            "qmix": trained(rows, choices) + forward(rows, choices) + trained(frames, [48, 192]) + forward(frames, [48, 192]),
            # the critic's value of the actor's actions has a gradient of its inputs alone
            "maddpg": trained(rows, moves) + forward(rows, moves) + trained(frames, joint) + 3 * forward(frames, joint)}  # fmt: skip


def product_rate(tenon, pinned, seconds):
    """Multiplications per microsecond of the processor."""
    words = [*pinned, tenon.with_name("tenon-bench-kernels"), "product", str(seconds)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["multiplications_per_us"]


def compare_updates(name, options, tenon, pinned, peer):
    ours, theirs, left_out, rates = [], {False: [], True: []}, [], []
    for _ in range(options.rounds):
        ours.append(run_tenon(tenon, pinned, "update", str(HERE / "agents" / f"{name}.toml"), "--seconds", str(options.seconds)))
        rates.append(product_rate(tenon, pinned, options.seconds / 4))
        ask_peer(peer, {"make": name, "seconds": options.seconds}, not options.eager, theirs, left_out)
    used = statistics.median(turn["cpu_us"] for turn in ours)
    for turn in ours:
        turn["share"] = multiplications()[name] / max(rates) / used
    return result_of(name, ours, theirs, left_out)


def compare_dreamer(options, tenon, pinned):
    words = ["objective", str(HERE.parent / "manifests" / "dreamer_v3_pendulum.toml"), "--backward", "--executor", "compiled"]
    turns = [run_tenon(tenon, pinned, *words, "--seconds", str(options.seconds)) for _ in range(options.rounds)]
    used, limit = [statistics.median(turn[key] for turn in turns) for key in ("cpu_us", "limit_us")]
    return {"name": DREAMER, "cpu_us": used, "limit_us": limit, "ratio": used / limit}


def used_by_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def our_frames(case, options, tenon, pinned):
    """Frames per second of processor time, those of the start included."""
    before = used_by_children()
    answer = run_tenon(tenon, pinned, "env", case["ours"], "--lanes", str(case["lanes"]), "--seconds", str(options.seconds))
    return answer["frames_per_s"] * options.seconds / (used_by_children() - before)


def compare_envs(name, options, tenon, pinned, peer):
    case, ours, theirs = ENVS[name], [], []
    for _ in range(options.rounds):
        ours.append(our_frames(case, options, tenon, pinned))
        wish = {"env": case["env"], "envs": case["envs"], "seconds": options.seconds}
        theirs.append(peer.measure(wish)["frames_per_cpu_s"])
    return {"name": name, "tenon": statistics.median(ours), "spread": [min(ours), max(ours)], "peer": statistics.median(theirs),
            "ratio": statistics.median(ours) / statistics.median(theirs)}  # fmt: skip


def measure(options, python):
    """Prints the tables, and returns the exit code."""
    tenon, pinned = options.tenon.resolve(), ["taskset", "-c", str(options.core)]
    peer, results = Peer(python, [options.core], PROGRAM), []
    updates = [name for name in options.only if name in UPDATES]
    if updates:
        print(head())
    for name in updates:
        results.append(compare_updates(name, options, tenon, pinned, peer))
        print(row(results[-1]), flush=True)
    for name in [name for name in options.only if name in ENVS]:
        results.append(compare_envs(name, options, tenon, pinned, peer))
        one = results[-1]
        print(f"{name:20} {one['tenon']:12,.0f} frames/s of the processor, {ENVS[name]['env']} {one['peer']:10,.0f}: {one['ratio']:.1f}", flush=True)
    if DREAMER in options.only:
        results.append(compare_dreamer(options, tenon, pinned))
        print(f"{DREAMER:20} {results[-1]['cpu_us']:12,.0f} us, {results[-1]['ratio']:.2f} times its limit", flush=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        found = {"machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit(),
                 "torchrl": peer.ask({"version": True}), "cases": results}  # fmt: skip
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    peer.end()
    return 0
