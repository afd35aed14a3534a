# SPDX-License-Identifier: Apache-2.0
"""Tenon beside TorchRL on one GPU, by turns: bench/peers.py --cuda. Every peer is prepared first, several at a time, since
torch.compile takes long; then each case has its turns alone.

- update-dqn, -ppo, -sac: one update with networks of 64 and 64 (bench/cuda); update-bench-...: of TorchRL's benchmark
  (bench/objectives). Both sides: losses, gradients, Adam without clipping, soft updates of targets, and the losses and metrics of
  the objective. Both are compiled before. TorchRL's minibatch is already on the device; Tenon's is chosen and gathered from its buffer as well (dqn, sac), and
  Tenon waits after each update for its losses. In sac, Tenon's actor steps after the critics, TorchRL's with them.
- prioritise-N: setting the priorities of N rows of 1,000,000, which are on the GPU on both sides; sample-256: drawing 256 of them.
- gae: advantages and targets of 65,536 lanes of 128 steps, beside a copy that moves as many bytes.
- ppo-cartpole-65536: a whole run (bench/cuda), in frames per second, beside a loop of PyTorch with TorchRL's loss that computes the
  same rounds on the device (bench/torch_cartpole.py).
"""

import datetime
import json
import os
import statistics
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from peer_process import Peer, ask_tenon
from runs import commit, machine

HERE = Path(__file__).resolve().parent
PROGRAM = "torchrl_cuda_peer.py"
ITEMS, LANES, STEPS, ROUND = 1_000_000, 65_536, 128, 16
GAE_BYTES = LANES * STEPS * (3 * 4 + 2 + 2 * 4)  # rewards, values, next values; done, terminated; advantages, targets


def of_update(manifest, name):
    return {"ours": ["update", str(manifest), "--executor", "compiled"], "peers": [{"update": name}]}


def of_priorities(part, rows):
    words = ["--frames", str(ITEMS), "--rows", str(rows), "--part", part]
    return {"ours": ["buffer", *words], "peers": [{"priorities": part, "rows": rows, "capacity": ITEMS}]}


CASES = {f"update-{name}": of_update(HERE / "cuda" / f"{name}.toml", name) for name in ("dqn", "ppo", "sac")} | {
    f"update-bench-{name}": of_update(HERE / "objectives" / f"{name}.toml", f"bench-{name}") for name in ("dqn", "ppo", "sac")
} | {f"prioritise-{rows}": of_priorities("prioritise", rows) for rows in (256, 65_536)} | {
    "sample-256": of_priorities("sample", 256),
    "gae": {"ours": ["estimator", "gae", "--lanes", str(LANES), "--steps", str(STEPS), "--executor", "compiled"],
            "peers": [{"estimator": "vectorised", "lanes": LANES, "steps": STEPS},
                      {"estimator": "loop", "lanes": LANES, "steps": STEPS}, {"bytes": GAE_BYTES}]},
    "ppo-cartpole-65536": {"ours": ["manifest", str(HERE / "cuda" / "ppo_cartpole_65536.toml")],
                           "peers": [{"rounds": "ppo", "lanes": LANES, "steps": ROUND}]},
}  # fmt: skip


def our_words(case, options):
    """On a CPU, which is for trying this program, kernels of GPUs have no part."""
    on_gpu, seconds = options.device == "cuda", ["--seconds", str(options.seconds)]
    kind, *words = case["ours"]
    if kind == "update":
        sets = ["run.device=cuda", "run.learn_on=device", "run.jit=always"] if on_gpu else []
        return [kind, *words, *seconds, *(word for each in sets for word in ("--set", each))]
    if kind == "manifest":
        return [kind, *words, *([] if on_gpu else ["--set", "run.device=cpu", "--set", "run.learn_on=auto"])]
    component = [f"replay{'_cuda' if on_gpu else ''}/prioritised"] if kind == "buffer" else []
    return [kind, *component, *words, *seconds, *(["--device", "cuda"] if on_gpu else [])]


def prepared(python, options, case):
    """The peer when it is ready, and what it said: what it runs on, or why it is left out."""
    few = {"TORCHINDUCTOR_COMPILE_THREADS": "2", "RL_WARNINGS": "0"}  # several are compiled at a time
    peer = Peer(python, os.sched_getaffinity(0), PROGRAM, few)
    answer = peer.ask(case | {"device": options.device, "compiled": not options.eager}, options.patience)
    if answer is None:
        ended = peer.process.poll() is not None
        peer.stop()
        return None, "it ended" if ended else f"it was not ready after {options.patience} s"
    return (peer, answer["ready"]) if "ready" in answer else (peer.end(), answer["left_out"])


def prepare(python, options):
    """(peer, what it said) of each case's peers, in their order."""
    with ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)) // 2)) as pool:
        waiting = {name: [pool.submit(prepared, python, options, case) for case in CASES[name]["peers"]] for name in options.only}
        return {name: [job.result() for job in jobs] for name, jobs in waiting.items()}


def summary(runs):
    medians = [run["median_us"] for run in runs]
    return {"median_us": statistics.median(medians), "spread_us": [min(medians), max(medians)], "min_us": min(run["min_us"] for run in runs)}


def compare(name, options, tenon, peers):
    """The case's figures, and sentences on what is left out of it."""
    case, ours, theirs = CASES[name], [], {}
    left_out = [f"{name}: without the other side's {next(iter(wish))} ({next(iter(wish.values()))}): {said}"
                for (peer, said), wish in zip(peers, case["peers"]) if peer is None]  # fmt: skip
    for _ in range(1 if case["ours"][0] == "manifest" else options.rounds):
        answer, said = ask_tenon(tenon, [], *our_words(case, options))
        if answer is None:
            left_out.append(f"{name}: without Tenon: {' '.join(said.split())[:300]}")
        else:
            ours.append(answer)
        for peer in (peer for peer, _ in peers if peer is not None):
            ways = peer.ask({"seconds": options.seconds}, options.patience)
            if ways is None:
                left_out.append(f"{name}: TorchRL gave no time in a turn")
            for way, times in (ways or {}).items():
                theirs.setdefault(way, []).append(times)
        if answer is None:
            break  # once is enough to see what the other side takes
    result = {"name": name, "device": options.device, "peers": {way: summary(runs) for way, runs in theirs.items()}}
    if case["ours"][0] == "manifest":
        result |= {"frames_per_s": answer["frames_per_s"]} if answer else {}
        for side in result["peers"].values():
            side["frames_per_s"] = 1e6 * LANES * ROUND / side["median_us"]
            side |= {"ratio": answer["frames_per_s"] / side["frames_per_s"]} if answer else {}
    elif ours:
        result["tenon"] = summary(ours)
        for side in result["peers"].values():
            side["ratio"] = side["median_us"] / result["tenon"]["median_us"]
    return result, left_out


def head():
    return f"{'us':20} {'Tenon':>10} {'spread':>19}  {'TorchRL':>10} {'spread':>19}  {'ratio':>7}  by"


def figures(of):
    if "frames_per_s" in of:
        return f"{of['frames_per_s'] / 1e6:10.3f} {'M frames/s':>19}"
    return f"{of['median_us']:10.1f} {'{:.1f}-{:.1f}'.format(*of['spread_us']):>19}" if of else f"{'':30}"


def ratio(of):
    return f"{of['ratio']:.2f}" if "ratio" in of else ""


def rows(result):
    ours = figures(result if "frames_per_s" in result else result.get("tenon", {}))
    ways = [f"{figures(of)}  {ratio(of):>7}  {way}" for way, of in result["peers"].items()] or [""]
    return [f"{result['name'] if at == 0 else '':20} {ours if at == 0 else figures({})}  {way}" for at, way in enumerate(ways)]


def measure(options, python):
    """Prints the table; returns the exit code: 1 where something was left out."""
    prepared_peers = prepare(python, options)
    said = next((said for peers in prepared_peers.values() for peer, said in peers if peer is not None), {})
    print(", ".join([said.get("device", options.device), *(f"{name} {said[name]}" for name in ("torch", "torchrl") if name in said)]))
    print(head())
    results, all_left_out = [], []
    for name, peers in prepared_peers.items():
        result, left_out = compare(name, options, options.tenon.resolve(), peers)
        for peer in (peer for peer, _ in peers if peer is not None):
            peer.stop()
        results.append(result)
        all_left_out += left_out
        print("\n".join(rows(result)), flush=True)
        if options.json:  # after each case: time on a GPU may end
            options.json.parent.mkdir(parents=True, exist_ok=True)
            found = {"on": said, "machine": machine(), "date": datetime.date.today().isoformat(), "commit": commit(),
                     "cases": results, "left_out": all_left_out}  # fmt: skip
            options.json.write_text(json.dumps(found, indent=1) + "\n")
    print("\n".join(all_left_out), end="\n" if all_left_out else "")
    return 1 if all_left_out else 0
