#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times Tenon beside TorchRL: its losses (forward and backward, eager or compiled), its estimators, and acting; beside
Stable-Baselines3, and TorchRL where it has them: whole runs; beside EnvPool, Gymnasium, Stable-Baselines3 and ale-py:
environments; beside PyTorch: transformers and tokens; or beside TorchRL, VMAS and mpe2: several agents. By turns, on one core, or on two where the case says so ("x2").

    python3 bench/peers.py                       # first makes .deps/peers, a Python environment with the peers, or makes it anew
    python3 bench/peers.py --only a2c gae-512x32 --rounds 9 --json peers.json
    python3 bench/peers.py --runs --rounds 3 --json runs.json
    python3 bench/peers.py --envs --json envs.json
    python3 bench/peers.py --sequences --json sequences.json    # needs `ninja -C build/release tenon-bench-kernels`
    python3 bench/peers.py --agents --json agents.json
    python3 bench/peers.py --cuda --python PYTHON --tenon PROGRAM --json cuda.json    # on one GPU, beside TorchRL with CUDA graphs

In each round first one side, then the other computes for --seconds. The time is the median over the rounds of their
medians and the spread from the least to the greatest of these; the best is the least single time; the processor's time,
the least of the rounds' medians, hardly minds what else the machine does. Ratios above 1 say that Tenon is faster. What the two
sides do is in bench/objectives and bench/torchrl_losses.py: the same terms and gradients on the same nets and rows, without an
optimiser. Whole runs are those of bench/manifests that bench/sb3_peer.py has, too. TorchRL trains those of
bench/torchrl_run_peer.py with fewer frames, so that their rates are compared: the best frames per second of the rounds.
"""

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import agent_peers
import cuda_peers
import sequence_peers
from peer_process import Peer, run_tenon
from runs import commit, machine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
ENVS = {
    f"{name}-{lanes}": {"env": name, "lanes": lanes, "ours": f"classic/{name}"}
    for name in ("CartPole-v1", "Pendulum-v1")
    for lanes in (1, 8, 64, 1024)
} | {
    f"{name}-64x{threads}": {"env": name, "lanes": 64, "threads": threads, "ours": f"mujoco/{name}"}
    for name in ("HalfCheetah-v5", "Hopper-v5", "Ant-v5", "Humanoid-v5")
    for threads in (1, 2)
} | {
    "bridge-CartPole-v1-64x2": {"env": "CartPole-v1", "lanes": 64, "threads": 2, "by": "processes", "ours": "gym/env",
                                "set": {"env.id": "CartPole-v1", "env.workers": 2}},
} | {
    f"atari-{name}-64x{threads}": {"env": name.lower(), "lanes": 64, "threads": threads, "by": "ale", "ours": f"atari/{name}-v5",
                                   "set": {"env.preprocessing": "standard", "env.repeat_action_probability": 0.0,
                                           "env.workers": threads}}
    for name in ("Pong", "Breakout")
    for threads in (1, 2)
}  # fmt: skip
RUNS = ["dqn_cartpole", "ppo_cartpole", "sac_pendulum", "ppo_half_cheetah"]
TORCHRL_RUNS = ["ppo_half_cheetah"]
LOSSES = ["dqn", "ddpg", "td3", "sac", "redq", "cql", "iql", "a2c", "ppo", "reinforce"]
ESTIMATORS = ["gae", "td_lambda", "vtrace", "reward_to_go"]
FIGURES = ["median_us", "min_us", "cpu_us"]
SIZES = [(512, 1), (512, 32), (500, 300)]  # steps, lanes
ACTING_LANES = [1, 8, 64, 256]
CASES = {name: {"loss": name} for name in LOSSES} | {
    f"{name}-{steps}x{lanes}": {"estimator": name, "steps": steps, "lanes": lanes}
    for name in ESTIMATORS
    for steps, lanes in SIZES
} | {f"{what}-{lanes}": {"act": what, "lanes": lanes} for what in ("mode", "draw") for lanes in ACTING_LANES}


def environment():
    """The Python with the peers in it, made where it is not there or was made of other requirements."""
    folder = ROOT / ".deps" / "peers"
    wanted = (HERE / "requirements.txt").read_text()
    stamp = folder / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != wanted:
        packages = ", ".join(line for line in wanted.splitlines() if not line.startswith("#"))
        print(f"making {folder.relative_to(ROOT)}: {packages} by pip", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--only-binary=:all:"]
        subprocess.run([*pip, "-r", str(HERE / "requirements.txt")], check=True)
        stamp.write_text(wanted)
    return folder / "bin" / "python"


def measure_ours(tenon, pinned, wish):
    if "loss" in wish:
        what = ["objective", wish["loss"], *(["--backward"] if wish["backward"] else [])]
    elif "act" in wish:
        manifest = str(HERE / "manifests" / "ppo_cartpole.toml")
        what = ["act", manifest, "--lanes", str(wish["lanes"]), *(["--mode"] if wish["act"] == "mode" else [])]
    else:
        what = ["estimator", wish["estimator"], "--steps", str(wish["steps"]), "--lanes", str(wish["lanes"])]
    return run_tenon(tenon, pinned, *what, "--executor", wish["executor"], "--seconds", str(wish["seconds"]))


def summary(runs):
    medians = [run["median_us"] for run in runs]
    return {
        "median_us": statistics.median(medians),
        "spread_us": [min(medians), max(medians)],
        "min_us": min(run["min_us"] for run in runs),
        "cpu_us": min(run["cpu_us"] for run in runs),
    }


def compare(name, options, tenon, pinned, peer):
    wish = CASES[name] | {"backward": not options.forward, "compiled": options.compiled, "seconds": options.seconds}
    ours, theirs = [], []
    for _ in range(options.rounds):
        ours.append(measure_ours(tenon, pinned, wish | {"executor": options.executor}))
        theirs.append(peer.measure(wish))
    result = {"name": name, "tenon": summary(ours), "torchrl": summary(theirs)}
    for figure in FIGURES:
        result[figure.replace("us", "ratio")] = result["torchrl"][figure] / result["tenon"][figure]
    return result


def where():
    return {"machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit()}


def compare_runs(name, options, tenon, pinned, sb3, torchrl=None):
    ours, theirs, rates = [], [], []
    for _ in range(options.rounds):
        ours.append(run_tenon(tenon, pinned, "manifest", str(HERE / "manifests" / f"{name}.toml")))
        theirs.append(sb3.measure({"run": name}))
        if name in TORCHRL_RUNS:
            rates.append(rated(torchrl.measure({"run": name})))
    best = [min(side, key=lambda run: run["seconds"]) for side in (ours, theirs)]
    told = ("frames", "updates", "seconds", "frames_per_s", "return_mean")
    result = {"name": name, "tenon": {figure: best[0][figure] for figure in told},
              "sb3": {figure: best[1][figure] for figure in ("seconds", "return_mean")},
              "ratio": best[1]["seconds"] / best[0]["seconds"], **where()}  # fmt: skip
    if rates:
        fastest = max(rates, key=lambda run: run["frames_per_s"])
        result |= {"torchrl": fastest, "torchrl_ratio": best[0]["frames_per_s"] / fastest["frames_per_s"]}
    return result


def rated(run):
    return run | {"frames_per_s": run["frames"] / run["seconds"]}


def compare_envs(name, options, tenon, pinned, peer):
    wish = {"threads": 1, "by": "native", "set": {}} | ENVS[name]
    ours, theirs = [], {}
    # Workers of the bridge are processes beside the thread that waits for them.
    words = ["--lanes", wish["lanes"], "--seconds", options.seconds, "--threads", 1 if wish["set"] else wish["threads"]]
    words += [word for key, value in wish["set"].items() for word in ("--set", f"{key}={value}")]
    pinned = pinned if wish["threads"] == 1 else ["taskset", "-c", ",".join(map(str, cores_of(options, wish["threads"])))]
    peer.pin(cores_of(options, wish["threads"]))
    for _ in range(options.rounds):
        ours.append(run_tenon(tenon, pinned, "env", wish["ours"], *map(str, words))["frames_per_s"])
        for way in peer.measure(wish | {"seconds": options.seconds}):
            theirs[way["by"]] = max(theirs.get(way["by"], 0), way["frames_per_s"])
    by, best = max(theirs.items(), key=lambda way: way[1])
    ratios = {name: max(ours) / rate for name, rate in theirs.items()}
    told = {key: wish[key] for key in ("env", "ours", "lanes", "threads")}
    return {"name": name, **told, "tenon": max(ours), "peer": best, "by": by, "ratio": max(ours) / best, "ratios": ratios, **where()}


def cores_of(options, count):
    """The core that was asked for and, of the others, the last ones."""
    others = sorted(os.sched_getaffinity(0) - {options.core}, reverse=True)
    return [options.core, *others][:count]


def env_row(result):
    others = ", ".join(f"{by} {ratio:.2f}" for by, ratio in result["ratios"].items())
    return f"{result['name']:24} {result['tenon'] / 1e6:10.3f}  {result['peer'] / 1e6:10.3f} {result['by']:>18}  {others}"


def run_row(result):
    sides = "  ".join(f"{side['seconds']:10.2f} {side['return_mean']:10.1f}" for side in (result["tenon"], result["sb3"]))
    torchrl = result.get("torchrl")
    rate = f"  {torchrl['frames_per_s']:16.0f}  {result['torchrl_ratio']:7.1f}" if torchrl else ""
    return f"{result['name']:20} {sides}  {result['ratio']:7.1f}{rate}"


def row(result):
    def side(of):
        low, high = of["spread_us"]
        return f"{of['median_us']:10.1f} {f'{low:.1f}-{high:.1f}':>19} {of['min_us']:10.1f} {of['cpu_us']:10.1f}"

    ratios = " ".join(f"{result[figure.replace('us', 'ratio')]:7.2f}" for figure in FIGURES)
    return f"{result['name']:20} {side(result['tenon'])}  {side(result['torchrl'])}  {ratios}"


def head():
    sides = "  ".join(f"{side:>10} {'spread':>19} {'best':>10} {'processor':>10}" for side in ("Tenon", "TorchRL"))
    return f"{'us':20} {sides}  {'ratio':>7} {'best':>7} {'proc.':>7}"


def env_head():
    return f"{'best M frames/s':24} {'Tenon':>10}  {'other':>10} {'by':>18}  ratios"


def run_head():
    return f"{'best seconds':20} {'Tenon':>10} {'return':>10}  {'SB3':>10} {'return':>10}  {'ratio':>7}"


def rate_head():
    return f"{run_head()}  {'TorchRL frames/s':>16}  {'ratio':>7}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[*CASES, *RUNS, *ENVS, *cuda_peers.CASES, *sequence_peers.CASES, *agent_peers.CASES], help=" ".join(CASES))
    rates = f"and TorchRL's rate of {' '.join(TORCHRL_RUNS)}"
    parser.add_argument("--runs", action="store_true", help=f"whole runs beside Stable-Baselines3, {rates}: {' '.join(RUNS)}")
    parser.add_argument("--envs", action="store_true", help=f"steps beside EnvPool, Gymnasium and Stable-Baselines3: {' '.join(ENVS)}")
    parser.add_argument("--cuda", action="store_true", help=f"on a GPU, beside TorchRL: {' '.join(cuda_peers.CASES)}")
    parser.add_argument("--sequences", action="store_true", help=f"transformers, beside PyTorch: {' '.join(sequence_peers.CASES)}")
    parser.add_argument("--agents", action="store_true", help=f"several agents, beside TorchRL, VMAS and mpe2: {' '.join(agent_peers.CASES)}")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="--cuda: cpu tries both sides without a GPU (cuda)")
    parser.add_argument("--eager", action="store_true", help="--cuda: TorchRL without torch.compile, but in CUDA graphs; --sequences, --agents: the peer without it")
    parser.add_argument("--patience", type=int, default=90, metavar="SECONDS", help="--cuda: for a peer to be compiled (90)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side has its turn (5)")
    parser.add_argument("--seconds", type=float, default=1, help="of one turn (1)")
    parser.add_argument("--forward", action="store_true", help="losses without gradients")
    parser.add_argument("--compiled", action="store_true", help="TorchRL's losses by torch.compile (redq does not run)")
    parser.add_argument("--executor", default="auto", choices=["auto", "reference", "compiled"], help="ours (auto)")
    parser.add_argument("--core", type=int, choices=sorted(os.sched_getaffinity(0)), default=max(os.sched_getaffinity(0)), help="where both sides run (the last)")
    parser.add_argument("--tenon", type=Path, default=ROOT / "build" / "release" / "bin" / "tenon", help="the program")
    parser.add_argument("--python", type=Path, help="a Python that has the peers, instead of making one")
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes the results there, too")
    options = parser.parse_args()
    if options.runs + options.envs + options.cuda + options.sequences + options.agents > 1:
        parser.error("one of --runs, --envs, --cuda, --sequences and --agents")
    topics = {"runs": RUNS, "envs": ENVS, "cuda": cuda_peers.CASES, "sequences": sequence_peers.CASES, "agents": agent_peers.CASES}
    cases = list(next((cases for topic, cases in topics.items() if getattr(options, topic)), CASES))
    options.only = options.only or cases
    if any(name not in cases for name in options.only):
        parser.error("--runs takes the names of runs, --envs of environments, --cuda, --sequences and --agents those they list")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds must be 1 or more, and --seconds more than 0")
    if options.python and not options.python.exists():
        parser.error(f"{options.python} is not there; without --python .deps/peers is made")
    if not options.tenon.exists():
        parser.error(f"{options.tenon} is not there; ./tenon builds it, and --tenon names another one")
    return options


def main():
    options = parse()
    if options.cuda:
        sys.exit(cuda_peers.measure(options, options.python or environment()))
    if options.sequences:
        sys.exit(sequence_peers.measure(options, options.python or environment()))
    if options.agents:
        sys.exit(agent_peers.measure(options, options.python or environment()))
    pinned = ["taskset", "-c", str(options.core)]
    rated_runs = options.runs and any(name in TORCHRL_RUNS for name in options.only)
    programs, head_line, one, line = (
        (["sb3_peer.py", "torchrl_run_peer.py"], rate_head, compare_runs, run_row) if rated_runs
        else (["sb3_peer.py"], run_head, compare_runs, run_row) if options.runs
        else (["env_peer.py"], env_head, compare_envs, env_row) if options.envs
        else (["torchrl_peer.py"], head, compare, row)
    )  # fmt: skip
    python = options.python or environment()
    peers = [Peer(python, [options.core], program) for program in programs]
    print(head_line())
    results = []
    for name in options.only:
        results.append(one(name, options, options.tenon.resolve(), pinned, *peers))
        print(line(results[-1]), flush=True)
    for peer in peers:
        peer.end()
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
