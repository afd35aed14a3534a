# SPDX-License-Identifier: Apache-2.0
"""Tenon beside PyTorch at transformers and tokens, by turns on one core: bench/peers.py --sequences. PyTorch is eager and, where
it compiles, by torch.compile. Both sides have two blocks of width 64 but for `attention`, in float32.

- update: PPO with a transformer that sees 64 steps, 256 rows in sequences of 64, with clipping and Adam. Tenon's first steps also
  attend to the steps before their sequence; PyTorch's sequences are whole by themselves.
- act: one step of 16 lanes, each with a full window of 64: actions drawn, log-probabilities, values.
- attention-W: 16 rows of 128 steps, 8 heads of W, forward and gradient; causal-W: each step attends up to itself. `share` is the
  part of the rate at which this core multiplies two matrices of 512.
- sample-N: 256 answers of N tokens to 32 prompts of N, drawn one by one with a cache. PyTorch is eager: torch.compile, whose cache
  has another length at each token, was 3 times as slow at 16 tokens, and 8 times at 64.
- grpo: an update of 256 answers, 31 tokens each, with a reference. Tenon computes a prompt once for its eight answers.
- decision: Decision Transformer's update of 64 windows of 8 steps, 24 tokens. Tenon also chooses and gathers them.
- gelu, tanh: of 720,896 numbers.
"""

import datetime
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from peer_process import Peer, ask_tenon
from runs import commit, machine

HERE = Path(__file__).resolve().parent
PROGRAM = "torch_sequences_peer.py"
NUMBERS = 720_896


def of_manifest(kind, name, make, **settings):
    sets = [word for key, value in settings.items() for word in ("--set", f"{key.replace('__', '.')}={value}")]
    return {"ours": [kind, str(HERE / "sequences" / f"{name}.toml"), *sets], "make": make, "with": {}}


def of_attention(width, causal):
    return {"kernels": ["attention", "8", str(width), "128", "16", str(int(causal))], "make": "attention",
            "with": {"width": width, "causal": causal}}  # fmt: skip


CASES = {
    "update": of_manifest("update", "causal", "update"),
    "act": of_manifest("act", "causal", "act"),
} | {f"{name}-{width}": of_attention(width, name == "causal") for name in ("attention", "causal") for width in (16, 64)} | {
    f"sample-{length}": of_manifest("act", "grpo", "sample", env__length=length) | {"with": {"length": length}, "eager": True} for length in (16, 64, 128)
} | {
    "grpo": of_manifest("update", "grpo", "grpo", objective__reference_kl=0.01) | {"init": "policy.actor.init"},
    "decision": of_manifest("update", "decision", "decision"),
    "gelu": {"kernels": ["gelu", str(NUMBERS)], "make": "gelu", "with": {}},
    "tanh": {"kernels": ["tanh", str(NUMBERS)], "make": "tanh", "with": {}},
}  # fmt: skip


def ours_of(case, tenon, pinned, options, folder):
    if "kernels" in case:
        program = options.tenon.resolve().with_name("tenon-bench-kernels")
        done = subprocess.run([*pinned, str(program), *case["kernels"], str(options.seconds)], capture_output=True, text=True)
        return (json.loads(done.stdout), "") if done.returncode == 0 else (None, done.stderr)
    words = [*case["ours"], "--seconds", str(options.seconds)]
    if "init" in case:
        words += ["--set", f"{case['init']}={weights_of(case, tenon, folder)}"]
    return ask_tenon(tenon, pinned, *words)


def weights_of(case, tenon, folder):
    """A run of a few frames, whose policy is the reference."""
    out = Path(folder) / "reference"
    if not out.exists():
        words = ["--out", str(out), "--quiet", "--set", "run.total_frames=32"]
        subprocess.run([str(tenon), "run", case["ours"][1], *words], check=True, stdout=subprocess.DEVNULL)
    return out


def summary(turns):
    medians = [turn["cpu_us"] for turn in turns]
    return {"cpu_us": statistics.median(medians), "spread_us": [min(medians), max(medians)], "min_us": min(turn["min_us"] for turn in turns)}


def ask_peer(peer, question, both, theirs, left_out):
    """A turn of the peer: eager, and compiled if both are asked for and no turn was left out."""
    for compiled in [False, True] if both else [False]:
        if compiled and left_out:
            continue
        turn = peer.measure({**question, "compiled": compiled})
        if "left_out" in turn:
            left_out.append(turn["left_out"])
        else:
            theirs[compiled].append(turn)


def result_of(name, ours, theirs, left_out):
    result = {"name": name, "tenon": summary(ours), "eager": summary(theirs[False]), "left_out": left_out}
    result["tenon"] |= {"share": max(turn["share"] for turn in ours)} if "share" in ours[0] else {}
    if theirs[True] and not left_out:
        result["compiled"] = summary(theirs[True])
    for side in ("eager", "compiled"):
        if side in result:
            result[f"{side}_ratio"] = result[side]["cpu_us"] / result["tenon"]["cpu_us"]
    return result


def compare(name, options, tenon, pinned, peer, folder):
    case, ours, theirs, left_out = CASES[name], [], {False: [], True: []}, []
    question = {"make": case["make"], "with": case["with"], "seconds": options.seconds}
    for _ in range(options.rounds):
        answer, said = ours_of(case, tenon, pinned, options, folder)
        if answer is None:
            sys.exit(f"{name}: {said}")
        ours.append(answer)
        ask_peer(peer, question, not (options.eager or "eager" in case), theirs, left_out)
    return result_of(name, ours, theirs, left_out)


def head():
    return f"{'processor time, us':20} {'Tenon':>10} {'spread':>19}  {'eager':>10} {'ratio':>6}  {'compiled':>10} {'ratio':>6}  share"


def row(result):
    low, high = result["tenon"]["spread_us"]
    sides = [f"{result[side]['cpu_us']:10.1f} {result[f'{side}_ratio']:6.2f}" if side in result else f"{'':17}" for side in ("eager", "compiled")]
    share = f"{result['tenon']['share']:.2f}" if "share" in result["tenon"] else ""
    return f"{result['name']:20} {result['tenon']['cpu_us']:10.1f} {f'{low:.1f}-{high:.1f}':>19}  {'  '.join(sides)}  {share}"


def measure(options, python):
    """Prints the table, and returns the exit code."""
    tenon, pinned = options.tenon.resolve(), ["taskset", "-c", str(options.core)]
    peer, results = Peer(python, [options.core], PROGRAM), []
    print(head())
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only:
            results.append(compare(name, options, tenon, pinned, peer, folder))
            print(row(results[-1]), flush=True)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        found = {"machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit(),
                 "torch": peer.ask({"version": True}), "cases": results}  # fmt: skip
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    peer.end()
    return 0
