#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what docs/performance.md shows: objectives on both executors by turns, whole runs, environments, estimators, buffers,
what the plugin ABI costs.

    python3 bench/performance.py                          # measures, into runs/performance.json
    python3 bench/peers.py --executor compiled --json runs/peers.json
    python3 bench/peers.py --runs --rounds 3 --json runs/peers_runs.json
    python3 bench/peers.py --envs --rounds 3 --json runs/peers_envs.json
    python3 bench/peers.py --executor compiled --compiled --only dqn ddpg td3 sac cql iql a2c ppo --json runs/peers_compiled.json
    python3 bench/peers.py --sequences --rounds 3 --json runs/peers_sequences.json
    python3 bench/peers.py --agents --rounds 3 --json runs/peers_agents.json
    python3 bench/peers.py --cuda --rounds 3 --json runs/peers_cuda.json            # on a machine with a GPU
    python3 bench/performance.py --page                   # writes docs/performance.md from these files; without the first
                                                          # one only worlds of others, whole runs of peers, transformers, several
                                                          # agents and what ran on a GPU

Everything runs on one core, but for what runs in processes of its own. Objectives, estimators and buffers are the least of the
rounds' medians, runs and environments the best of the rounds. A busy machine makes all of them longer; ratios of one row hardly.
"""

import argparse
import datetime
import json
import math
import os
import re
from pathlib import Path

from runs import ROOT, commit, machine, put_part, tenon

PAGE = ROOT / "docs" / "performance.md"
RESULTS = ROOT / "runs" / "performance.json"
PEERS = ROOT / "runs" / "peers.json"
PEERS_COMPILED = ROOT / "runs" / "peers_compiled.json"
PEERS_ENVS = ROOT / "runs" / "peers_envs.json"
PEERS_CUDA = ROOT / "runs" / "peers_cuda.json"
PEERS_SEQUENCES = ROOT / "runs" / "peers_sequences.json"
PEERS_AGENTS = ROOT / "runs" / "peers_agents.json"
PEERS_RUNS = ROOT / "runs" / "peers_runs.json"
OBJECTIVES = ["dqn", "ddpg", "td3", "sac", "redq", "cql", "iql", "a2c", "ppo"]
EXECUTORS = ["reference", "compiled"]
ENVS = ["classic/CartPole-v1", "classic/Pendulum-v1", "small/Catch-v0"]
LANES = [1, 8, 64, 1024]
ESTIMATORS = ["gae", "td_lambda", "vtrace", "reward_to_go"]
BUFFERS = ["replay/uniform", "replay/prioritised"]
ACTING_LANES = [1, 8, 64, 256]
SIZES = [(512, 1), (512, 32), (500, 300)]
ABI_SECONDS = 5  # a row; it takes turns by itself
# Whole runs of others, measured apart on a machine of the same kind, one core: what they were, and their seconds.
OTHERS = {
    "sac_pendulum_64": ("RLtools 9acdf5c with OpenBLAS", 4.43),
    "td3_pendulum_64": ("RLtools 9acdf5c with OpenBLAS", 3.34),
    "ppo_pendulum": ("RLtools 9acdf5c with OpenBLAS", 0.534),
    "ppo_cartpole_128": ("PureJaxRL, without 6.0 s of compiling", 3.17),
}


def least(values):
    return min(values, key=lambda each: each["median_us"])


def measure(tool, core, rounds):
    out = {"objectives": {}, "runs": {}, "envs": {}, "acting": {}, "estimators": {}, "buffers": {}}
    program = ("taskset", "-c", core, tool)
    for name in OBJECTIVES:
        times = [[tenon(*program, "bench", "objective", name, "--backward", "--executor", executor, "--json")
                  for executor in EXECUTORS] for _ in range(rounds)]  # fmt: skip
        sides = [least(side) for side in zip(*times)]
        out["objectives"][name] = [*(side["median_us"] for side in sides), sides[1]["limit_us"]]
        print(name, out["objectives"][name], flush=True)
    for path in sorted((ROOT / "bench" / "manifests").glob("*.toml")):
        runs = [tenon(*program, "bench", "manifest", path, "--json") for _ in range(rounds)]
        out["runs"][path.stem] = min(runs, key=lambda run: run["seconds"])
        print(path.stem, out["runs"][path.stem], flush=True)
    for env in ENVS:
        out["envs"][env] = [max(tenon(*program, "bench", "env", env, "--lanes", lanes, "--json")["frames_per_s"]
                                for _ in range(rounds)) for lanes in LANES]  # fmt: skip
        print(env, out["envs"][env], flush=True)
    for what, option in (("mode", ["--mode"]), ("draw", [])):
        manifest = ROOT / "bench" / "manifests" / "ppo_cartpole.toml"
        out["acting"][what] = [least([tenon(*program, "bench", "act", manifest, *option, "--lanes", lanes, "--json")
                                      for _ in range(rounds)])["median_us"] for lanes in ACTING_LANES]  # fmt: skip
        print(what, out["acting"][what], flush=True)
    for name in ESTIMATORS:
        sizes = [["--steps", steps, "--lanes", lanes] for steps, lanes in SIZES]
        out["estimators"][name] = [least([tenon(*program, "bench", "estimator", name, *size, "--json")
                                          for _ in range(rounds)])["median_us"] for size in sizes]  # fmt: skip
        print(name, out["estimators"][name], flush=True)
    out["abi"] = tenon(tool, "bench", "abi", "--seconds", ABI_SECONDS, "--json")
    print(out["abi"], flush=True)
    for name in BUFFERS:
        out["buffers"][name] = [least([tenon(*program, "bench", "buffer", name, "--lanes", lanes, "--json")
                                       for _ in range(rounds)])["median_us"] for lanes in (1, 64)]  # fmt: skip
        print(name, out["buffers"][name], flush=True)
    return out


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]]
    return "\n".join(lines) + "\n"


def micro(us):
    return f"{us:,.0f}" if us >= 10 else f"{us:.2f}"


def nano(spread):
    return f"{spread[1]:,.0f}"


def micros(spread):
    return micro(spread[1] / 1000)


def overhead(way):
    """One way's time, how many times that of the way it is measured against, and how much more; of ratios the middle half."""
    low, ratio, high = way["ratio"]
    return [nano(way["ns"]), f"{ratio:.3f} ({low:.3f} to {high:.3f})", f"{way['more_ns'][1]:+,.0f}"]


def speed(ratio):
    """Of what is so many times slower, in per cent, with the middle half."""
    low, median, high = (100 / each for each in reversed(ratio))
    return f"{median:.0f} % ({low:.0f} to {high:.0f})"


def worlds(peers_envs):
    """The part about environments that others have written."""
    native = [row for row in peers_envs if row["ours"].startswith("mujoco/")]
    bridged = [row for row in peers_envs if row["ours"] == "gym/env"]
    games = [row for row in peers_envs if row["ours"].startswith("atari/")]
    first = (native + bridged + games)[0]

    def cell(row, by):
        return f"{row['ratios'][by]:.2f}" if by in row["ratios"] else ""

    simulated = [[f"`{row['ours']}`", str(row["threads"]), f"{row['tenon']:,.0f}", cell(row, "EnvPool"), cell(row, "Gymnasium")]
                 for row in native]  # fmt: skip
    python = [[f"`{row['ours']}`, {row['env']}", str(row["threads"]), f"{row['tenon']:,.0f}", cell(row, "Gymnasium"),
               cell(row, "Stable-Baselines3")] for row in bridged]  # fmt: skip
    atari = [[f"`{row['ours']}`", str(row["threads"]), f"{row['tenon']:,.0f}", cell(row, "ale-py")] for row in games]
    return f"""## Worlds of others

Measured by turns on {first["machine"]}, {first["date"]}, commit {first["commit"]} (`bench/peers.py --envs`): frames per second of
64 lanes with actions drawn beforehand, the best of the rounds. A ratio above 1 says that Tenon is faster.

{table(["", "threads", "frames/s", "compared with EnvPool 1.2.5", "compared with Gymnasium 1.4.0's SyncVectorEnv"], simulated)}
Environments in Python, in as many workers; the others have a process for each of the 64:

{table(["", "workers", "frames/s", "compared with Gymnasium's AsyncVectorEnv", "compared with Stable-Baselines3 2.9.2's SubprocVecEnv"], python)}
Games of the Atari 2600 with `preprocessing = "standard"`, four frames of the game a step, compared with ale-py's vector environment alone
with the same settings and as many threads:

{table(["", "threads", "frames/s", "compared with ale-py 0.12.1's AtariVectorEnv"], atari)}"""


def with_worlds(text, peers_envs):
    """The page with that part as it was measured last, before the part about acting."""
    parts = re.split(r"\n(?=## )", text)
    parts = [part for part in parts if not part.startswith("## Worlds of others")]
    at = next(i for i, part in enumerate(parts) if part.startswith("## Acting"))
    return "\n".join([*parts[:at], worlds(peers_envs).rstrip("\n") + "\n", *parts[at:]])


def on_a_gpu(found):
    """That part of the page, from what bench/peers.py --cuda has found."""
    if found is None:
        return "## On a GPU\n\nNot measured yet: `bench/peers.py --cuda` compares updates, priorities and GAE with TorchRL's on one GPU.\n"
    def has_ours(case):
        return "tenon" in case or "frames_per_s" in case

    def names(cases):
        return ", ".join(f"`{case['name']}`" for case in cases)

    rows, missing = [], names(case for case in found["cases"] if not has_ours(case))
    older = [case for case in found["cases"] if "commit" in case]  # kept of a run before
    earlier = f" (at {', '.join(dict.fromkeys(case['commit'] for case in older))}: {names(older)})" if older else ""
    for case in filter(has_ours, found["cases"]):
        for way, of in case["peers"].items():
            both = [f"{side['frames_per_s'] / 1e6:,.1f} M frames/s" if "frames_per_s" in side else
                    f"{side['median_us']:,.1f}" if side else "" for side in (case.get("tenon", case if "frames_per_s" in case else {}), of)]  # fmt: skip
            rows.append([f"`{case['name']}`", both[0], way, both[1], f"{of['ratio']:.2f}" if "ratio" in of else ""])
    return f"""## On a GPU

Measured by turns on {found["on"].get("device", "a GPU")}, {found["date"]}, commit {found["commit"]}{earlier}, in microseconds
(`bench/peers.py --cuda`, whose first lines say what each side does): Tenon compared with TorchRL {found["on"].get("torchrl", "")} with PyTorch
{found["on"].get("torch", "")}. A ratio above 1 says that Tenon is faster. TorchRL's updates are compiled by torch.compile and called by
its CudaGraphModule (as called); its graph alone, replayed back to back, is the least that they could take.

{table(["", "Tenon", "the other", "its figure", "ratio"], rows)}{f"{chr(10)}Not measured there: {missing}.{chr(10)}" if missing else ""}"""


SEQUENCES = {
    "update": "PPO's update of a transformer that sees 64 steps, 256 rows",
    "act": "acting of that transformer, 16 lanes, full windows",
    "attention-16": "attention and gradient, 16 rows of 128 steps, 8 heads of 16",
    "attention-64": "the same, 8 heads of 64",
    "causal-16": "causal attention and gradient, 8 heads of 16",
    "causal-64": "the same, 8 heads of 64",
    "sample-16": "256 answers of 16 tokens after 32 prompts of 16",
    "sample-64": "of 64 after 64",
    "sample-128": "of 128 after 128",
    "grpo": "GRPO's update of 256 answers, 31 tokens each, with a reference",
    "decision": "Decision Transformer's update of 64 windows of 24 tokens",
    "gelu": "gelu of 720,896 numbers",
    "tanh": "tanh of as many",
}


def sequences(found):
    """The part about transformers and tokens, from what bench/peers.py --sequences has found."""
    rows = []
    for case in found["cases"]:
        sides = [[micro(case[side]["cpu_us"]), f"{case[f'{side}_ratio']:.2f}"] if side in case else ["", ""] for side in ("eager", "compiled")]
        share = f"{100 * case['tenon']['share']:.0f} %" if "share" in case["tenon"] else ""
        rows.append([SEQUENCES[case["name"]], micro(case["tenon"]["cpu_us"]), *sides[0], *sides[1], share])
    return f"""## Transformers

Measured by turns on {found["machine"]}, one core, {found["date"]}, commit {found["commit"]} (`bench/peers.py --sequences`, whose first lines
in bench/sequence_peers.py say what each side does): Tenon compared with PyTorch {found["torch"]}, in microseconds of processor time. A ratio
above 1 says that Tenon is faster. Other programs ran at the same time: read the ratios. Networks have two blocks of width 64. The share is that of the rate at which the core multiplies two
matrices of 512 rows and columns.

{table(["", "Tenon", "PyTorch eager", "ratio", "PyTorch compiled", "ratio", "share"], rows)}"""


AGENTS = {
    "mappo": "MAPPO's update",
    "qmix": "QMIX's update",
    "maddpg": "MADDPG's update",
    "balance-600": "Balance-v0, 600 lanes, beside VMAS with 600 environments",
    "spread": "Spread-v0, 64 lanes, beside mpe2",
}


def agents(found):
    """The part about several agents, from what bench/peers.py --agents has found."""
    updates, envs, dreamer = [], [], ""
    for case in found["cases"]:
        if "limit_us" in case:
            dreamer = f"""
Losses and gradients of the third Dreamer ([dreamer_v3_pendulum](../manifests/dreamer_v3_pendulum.toml), 256 states, 15 imagined steps) take
{case["cpu_us"]:,.0f} us of the processor, {case["ratio"]:.2f} times their limit, which is that of the objectives above.
"""
        elif "peer" in case:
            envs.append([AGENTS[case["name"]], f"{case['tenon']:,.0f}", f"{case['peer']:,.0f}", f"{case['ratio']:.0f}"])
        else:
            sides = [[micro(case[side]["cpu_us"]), f"{case[f'{side}_ratio']:.2f}"] if side in case else ["", ""] for side in ("eager", "compiled")]
            share = f"{100 * case['tenon']['share']:.0f} %" if "share" in case["tenon"] else ""
            updates.append([AGENTS[case["name"]], micro(case["tenon"]["cpu_us"]), *sides[0], *sides[1], share])
    return f"""## Several agents

Measured by turns on {found["machine"]}, one core, {found["date"]}, commit {found["commit"]} (`bench/peers.py --agents`, whose first lines
in bench/agent_peers.py say what each side does), in processor time, while other programs ran: read the ratios. Updates are those of TorchRL {found["torchrl"]}'s
recipes for balance, 4,096 frames of three agents and two layers of 256, in microseconds. The share is that of Tenon's time which the products
of the update's layers take at the rate at which the core multiplies two matrices of 512 rows and columns: with the same products, an
update that does nothing else has the ratio divided by the share. torch.compile takes 45 to 75 s for a loss.

{table(["", "Tenon", "TorchRL eager", "ratio", "TorchRL compiled", "ratio", "share"], updates)}
Frames per second of processor time:

{table(["", "Tenon", "the other", "ratio"], envs)}{dreamer}"""


def run_row(name, run, peers=()):
    if name in OTHERS:
        other, seconds = OTHERS[name]
        peers = [f"{seconds:.2f} s: {other}"]
    return [f"[{name}](../bench/manifests/{name}.toml)", f"{run['frames']:,}", f"{run['updates']:,}", f"{run['seconds']:.2f}",
            f"{run['frames_per_s']:,.0f}", f"{run['return_mean']:.1f}", "; ".join(peers)]  # fmt: skip


def with_runs(text, peers_runs):
    """The page with the runs that took turns with those of others, in the table and in the sentence that says when."""
    head, rows, behind = re.split(r"(?<=\n\n)((?:\|.*\n)+)", re.search(r"## Whole runs\n.*?(?=\n## )", text, re.DOTALL)[0], maxsplit=1)
    lines = rows.splitlines()
    for run in peers_runs:
        ways = [f"{run['sb3']['seconds']:.2f} s: Stable-Baselines3 2.9.2 (ratio {run['ratio']:.1f})"]
        if "torchrl" in run:
            ways.append(f"{run['torchrl']['frames_per_s']:,.0f} frames/s: TorchRL 0.14.1 (ratio {run['torchrl_ratio']:.1f})")
        line = f"| {' | '.join(run_row(run['name'], run['tenon'], ways))} |"
        at = next((i for i, each in enumerate(lines) if each.startswith(f"| [{run['name']}]")), None)
        lines[len(lines) if at is None else at : len(lines) if at is None else at + 1] = [line]
    names = ", ".join(f"`{run['name']}`" for run in peers_runs)
    first = peers_runs[0]
    told = f"""\n{names} took turns with the others on {first["machine"]}, {first["date"]}, commit {first["commit"]}
(`bench/peers.py --runs`). TorchRL, eager, trained a tenth of the frames; its ratio is that of frames per second.
"""
    part = head + "\n".join(lines) + "\n" + told
    return re.sub(r"## Whole runs\n.*?(?=\n## )", lambda _: part.rstrip("\n") + "\n", text, flags=re.DOTALL)


def page(found, peers, peers_compiled, peers_envs):
    theirs = {row["name"]: row["torchrl"]["cpu_us"] for row in peers}
    ratios = {row["name"]: row["cpu_ratio"] for row in peers}
    theirs_compiled = {row["name"]: row["torchrl"]["cpu_us"] for row in peers_compiled}
    ratios_compiled = {row["name"]: row["cpu_ratio"] for row in peers_compiled}

    def mean(values):
        values = list(values)
        return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f}" if values else ""

    def theirs_of(name, times, by):
        return [micro(times[name]), f"{by[name]:.2f}"] if name in by else ["", ""]

    measured = found["objectives"]
    objectives = [[f"`{name}`", micro(reference), micro(compiled), f"{reference / compiled:.2f}", f"{compiled / limit:.2f}",
                   *theirs_of(name, theirs, ratios), *theirs_of(name, theirs_compiled, ratios_compiled)]
                  for name, (reference, compiled, limit) in measured.items()]  # fmt: skip
    objectives.append(["geometric mean", "", "", mean(a / b for a, b, _ in measured.values()), mean(b / c for _, b, c in measured.values()),
                       "", mean(ratios[name] for name in measured if name in ratios),
                       "", mean(ratios_compiled[name] for name in measured if name in ratios_compiled)])  # fmt: skip
    runs = [run_row(name, run) for name, run in found["runs"].items()]
    peers_by_env = {row["name"]: row for row in peers_envs}

    def env_cell(env, lanes, rate):
        row = peers_by_env.get(f"{env.split('/')[1]}-{lanes}")
        return f"{rate / 1e6:.1f}" + (f" ({row['ratio']:.0f} times {row['by']})" if row else "")

    envs = [[f"`{env}`", *(env_cell(env, lanes, rate) for lanes, rate in zip(LANES, rates))] for env, rates in found["envs"].items()]
    acting = []
    for what, told in (("mode", "the likeliest"), ("draw", "drawn, with log-probability")):
        cells = []
        for lanes, us in zip(ACTING_LANES, found["acting"][what]):
            ratio = ratios.get(f"{what}-{lanes}")
            cells.append(micro(us) + (f" ({ratio:.0f} times)" if ratio else ""))
        acting.append([told, *cells])
    buffers = [[f"`{name}`", *(f"{us:.1f}" for us in times)] for name, times in found["buffers"].items()]
    estimators = []
    for name, times in found["estimators"].items():
        cells = []
        for (steps, lanes), us in zip(SIZES, times):
            ratio = ratios.get(f"{name}-{steps}x{lanes}")
            cells.append(micro(us) + (f" ({ratio:.0f} times)" if ratio else ""))
        estimators.append([f"`{name}`", *cells])
    calls = [[str(row["lanes"]), nano(row["inlined_ns"]), *overhead(row["plugin"]), *overhead(row["host"])] for row in found["abi"]["calls"]]
    isolated = [[f"`{row['env']}`", str(row["lanes"]), micros(row["here_ns"]), micros(row["isolated"]["ns"]), speed(row["isolated"]["ratio"])]
                for row in found["abi"]["isolated"]]  # fmt: skip
    commands = [[f"`tenon {row['command']} {row['plugin']}`", f"{row['seconds'] * 1000:,.0f} ms"] for row in found["abi"]["commands"]]
    return f"""<!-- Written by bench/performance.py --page from what it and bench/peers.py have measured. -->
# Performance

Measured on {found["machine"]}, one core, {found["date"]}, commit {found["commit"]}. Times are noisy: read the ratios.

## Objectives

Losses and gradients of one minibatch without the optimiser's step, in microseconds: `tenon bench objective NAME --backward`.
Networks, rows and layout are those of TorchRL's benchmark of its losses ([bench/objectives](../bench/objectives)). The limit is
the time of the program's matrix products and elementwise functions alone, each at its best and with all its memory in the cache.
`compiled / limit` is the program's time divided by this limit. TorchRL is 0.14.1, eager and with torch.compile (redq does not
run), interleaved with ours on the same core (`bench/peers.py --executor compiled`). Both are in processor time.

{table(["", "reference", "compiled", "ratio", "compiled / limit", "TorchRL eager", "ratio", "TorchRL compiled", "ratio"], objectives)}
## Whole runs

Collecting and updating, including compilation, but without evaluations, records and checkpoints: `tenon bench manifest`. The
mean return is that of 20 episodes at the end. RLtools and PureJaxRL were measured separately, on a machine of the same kind.

{table(["", "frames", "updates", "seconds", "frames/s", "mean return", "others"], runs)}
## Environments

Millions of frames per second with actions drawn beforehand, on one thread: `tenon bench env`. In parentheses: the speed-up over
the better of EnvPool 1.2.5 and Gymnasium 1.4.0's vector environments (`bench/peers.py --envs`).

{table(["lanes", *map(str, LANES)], envs)}
## Acting

The time to compute the actions of that many lanes, in microseconds, by a network with two tanh layers of 64 units that chooses
one of two actions ([ppo_cartpole](../bench/manifests/ppo_cartpole.toml)). It includes the host's validation of the actions:
`tenon bench act`, with and without `--mode`. In parentheses: the speed-up over the better of TorchRL's policy and plain torch.

{table(["lanes", *map(str, ACTING_LANES)], acting)}
## Estimators

One batch of steps by lanes, in microseconds: `tenon bench estimator`. In parentheses: the speed-up over the better of TorchRL's
two ways.

{table(["", *(f"{steps} x {lanes}" for steps, lanes in SIZES)], estimators)}
## Buffers

The time to choose the 256 rows of a batch out of a million frames, in microseconds: `tenon bench buffer`. It includes the host's
validation of the rows and, if the buffer uses priorities, the update of the priorities.

{table(["lanes", "1", "64"], buffers)}
## The plugin ABI

The cost of CartPole as a plugin, in nanoseconds per call, which steps all lanes: `tenon bench abi`. It compares three ways that
write the same bytes:

- one program: the same dynamics in a loop, without function tables, strides and checks;
- plugin: the plugin's function alone;
- host: a step of the host, which validates actions, episodes and numbers as in a run.

They were interleaved on one core in many short rounds. The table shows medians, and in parentheses the middle half of the rounds'
ratios.

{table(["lanes", "one program", "plugin", "ratio", "ns more", "host", "ratio", "ns more"], calls)}
The same step of the host with the env in [a separate process](isolation.md), one worker, in microseconds. `speed` is the remaining
share of the speed. `busy/Busy-v0` keeps the processor busy for about a microsecond per lane. Interleaved, on all cores.

{table(["", "lanes", "here", "in its own process", "speed"], isolated)}
{table(["a command, from its start to its end", ""], commands)}"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)), help="where it runs (the last)")
    parser.add_argument("--program", default=str(ROOT / "build" / "release" / "bin" / "tenon"), help="what is measured")
    parser.add_argument("--page", action="store_true", help="measure nothing, write docs/performance.md")
    given = parser.parse_args()
    if given.page:
        peers, peers_compiled, peers_runs, peers_envs = (
            json.loads(path.read_text()) if path.exists() else [] for path in (PEERS, PEERS_COMPILED, PEERS_RUNS, PEERS_ENVS)
        )
        text = page(json.loads(RESULTS.read_text()), peers, peers_compiled, peers_envs) if RESULTS.exists() else PAGE.read_text()
        text = with_runs(text, peers_runs) if peers_runs else text
        PAGE.write_text(with_worlds(text, peers_envs) if peers_envs else text)
        if PEERS_SEQUENCES.exists():
            put_part(PAGE, sequences(json.loads(PEERS_SEQUENCES.read_text())), "## On a GPU")
        if PEERS_AGENTS.exists():
            put_part(PAGE, agents(json.loads(PEERS_AGENTS.read_text())), "## On a GPU")
        if PEERS_CUDA.exists() or "## On a GPU" not in PAGE.read_text():  # what was measured elsewhere stays
            put_part(PAGE, on_a_gpu(json.loads(PEERS_CUDA.read_text()) if PEERS_CUDA.exists() else None), "## The plugin ABI")
        return
    found = measure(given.program, given.core, given.rounds)
    found |= {"machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit()}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
