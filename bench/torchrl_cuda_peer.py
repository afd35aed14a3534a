# SPDX-License-Identifier: Apache-2.0
"""One case of bench/peers.py --cuda by TorchRL. Reads JSON, a line each: first what the case is, with "device" and "compiled", then as
often as it is asked {"seconds"}. Answers the first with {"ready": {"device", "torch", "torchrl"}} or {"left_out": SENTENCE}, the others with
{WAY: {"median_us", "min_us"}} of every way that TorchRL has to it.

A time is that of one call out of BLOCK, with torch.cuda.synchronize before the first and after the last.
"""

import json
import statistics
import sys
import time
import warnings

BLOCK, LEAST, WARM_UP = 20, 5, 5


def wait(device):
    import torch

    if device == "cuda":
        torch.cuda.synchronize()


def times(call, device, seconds):
    start = time.perf_counter()
    call()
    wait(device)
    block = max(1, min(BLOCK, int(seconds / LEAST / (time.perf_counter() - start))))
    taken, first = [], time.perf_counter()
    while len(taken) < LEAST or time.perf_counter() - first < seconds:
        wait(device)
        start = time.perf_counter()
        for _ in range(block):
            call()
        wait(device)
        taken.append(1e6 * (time.perf_counter() - start) / block)
    return {"median_us": statistics.median(taken), "min_us": min(taken)}


def graph_of(call, device):
    """The call's kernels as one CUDA graph, to be replayed; on a CPU the call."""
    import torch

    if device != "cuda":
        return call
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay():
        graph.replay()
        return result  # in whose memory the graph writes

    return replay


def update_ways(case, device):
    """As torchrl's sota-implementations: torch.compile, and CudaGraphModule around it, which waits for the device before each replay
    and copies the minibatch in and the losses out. "graph alone" is the least that it could take: the replays, back to back."""
    import torch
    from tensordict.nn import CudaGraphModule

    import torchrl_updates

    update, data = torchrl_updates.make(case["update"], device)
    call = torch.compile(update) if case["compiled"] else update
    whole = CudaGraphModule(call, warmup=WARM_UP, in_keys=[], out_keys=[])
    for _ in range(WARM_UP + 3):
        whole(data)
    wait(device)
    ways = {"as called": lambda: whole(data)}
    if device == "cuda":
        ways["graph alone"] = whole.graph.replay
    return ways


def copy_ways(case, device):
    """A copy that reads half of case["bytes"] and writes the other half."""
    import torch

    source = torch.ones(case["bytes"] // 8, dtype=torch.float32, device=device)
    target = torch.empty_like(source)
    return {"copy of as many bytes": lambda: target.copy_(source)}


def estimator_ways(case, device):
    import torch
    from torchrl.objectives.value import functional

    shape = (case["lanes"], case["steps"], 1)
    torch.set_grad_enabled(False)
    reward, value, following = (torch.randn(shape, device=device) for _ in range(3))
    done = torch.rand(shape, device=device) < 0.01
    inputs = {"gamma": 0.99, "lmbda": 0.95, "state_value": value, "next_state_value": following, "reward": reward,
             "done": done, "terminated": done.clone()}  # fmt: skip
    if case["estimator"] == "vectorised":
        return {"vectorised": lambda: functional.vec_generalized_advantage_estimate(**inputs)}
    loop = functional.generalized_advantage_estimate  # as TorchRL's PPO has it when it compiles
    loop = torch.compile(loop) if case["compiled"] else loop
    return {"loop, in a graph": graph_of(lambda: loop(**inputs), device)}


def priority_ways(case, device):
    import torch

    import torchrl_extension

    torchrl_extension.load(device)
    from torchrl.data import LazyTensorStorage, PrioritizedSampler

    sampler = PrioritizedSampler(case["capacity"], alpha=0.6, beta=0.4, device=device)
    storage = LazyTensorStorage(case["capacity"], device=device)
    storage.set(range(case["capacity"]), torch.zeros(case["capacity"], device=device))
    everything = torch.arange(case["capacity"], device=device)
    sampler.extend(everything)
    sampler.update_priority(everything, torch.rand(case["capacity"], device=device) + 0.1)
    if case["priorities"] == "sample":
        return {"sample": lambda: sampler.sample(storage, case["rows"])}
    index = torch.randint(case["capacity"], (case["rows"],), device=device)
    priority = torch.rand(case["rows"], device=device) + 0.1
    ways = {"update_priority": lambda: sampler.update_priority(index, priority)}
    if device == "cuda":  # without what update_priority waits for: its two trees

        def trees():
            sampler._sum_tree[index] = priority
            sampler._min_tree[index] = priority

        try:
            ways["trees in a graph"] = graph_of(trees, device)
        except RuntimeError as problem:  # where a tree cannot be recorded
            print(f"no graph of the trees: {problem}", file=sys.stderr)
    return ways


def round_ways(case, device):
    import torch_cartpole

    compute, _ = torch_cartpole.make(case["lanes"], case["steps"], device, case["compiled"], graph_of)
    return {"a round of PyTorch's loop": compute}


KINDS = {"rounds": round_ways, "update": update_ways, "bytes": copy_ways, "estimator": estimator_ways, "priorities": priority_ways}


def prepare(case):
    kind = next(kind for kind in KINDS if kind in case)
    try:
        import torch

        torch.manual_seed(0)
        if case["device"] == "cpu":
            torch.set_num_threads(1)
        return KINDS[kind](case, case["device"]), None
    except Exception as problem:  # whatever a peer cannot do here leaves its case out, with what it said
        text = str(problem).strip().splitlines() or [""]
        return None, f"{type(problem).__name__}: {text[0][:300]}"


def versions(device):
    import torch
    import torchrl

    name = torch.cuda.get_device_name() if device == "cuda" else "the CPU"
    return {"device": name, "torch": torch.__version__, "torchrl": torchrl.__version__}


def main():
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # what libraries print is no answer
    case = json.loads(sys.stdin.readline())
    ways, problem = prepare(case)
    print(json.dumps({"left_out": problem} if problem else {"ready": versions(case["device"])}), file=answers, flush=True)
    for line in sys.stdin:
        seconds = json.loads(line)["seconds"] / len(ways)
        print(json.dumps({way: times(call, case["device"], seconds) for way, call in ways.items()}), file=answers, flush=True)


if __name__ == "__main__":
    main()
