# SPDX-License-Identifier: Apache-2.0
"""Times what it is asked for, a JSON object a line: {"loss": NAME, "backward": BOOL, "compiled": BOOL}, {"estimator": NAME, "steps": T,
"lanes": L} or {"act": "mode" or "draw", "lanes": L}, all with "seconds". Answers with {"median_us", "min_us", "cpu_us"}; of several ways
to an estimator or an action with the better.
"""

import json
import statistics
import sys
import time
import warnings

import torch

import torchrl_acting
import torchrl_losses

WARM_UP, LEAST = 5, 50  # as tenon bench
kept = {}  # losses by what was wished, for compiling one takes long


def times(call, between, seconds):
    for _ in range(WARM_UP):
        between()
        call()
    taken, processor = [], []
    first = time.perf_counter()
    while len(taken) < LEAST or time.perf_counter() - first < seconds:
        between()
        used, start = time.process_time(), time.perf_counter()
        call()
        taken.append(1e6 * (time.perf_counter() - start))
        processor.append(1e6 * (time.process_time() - used))
    return {"median_us": statistics.median(taken), "min_us": min(taken), "cpu_us": statistics.median(processor)}


def measure(wish):
    torch.manual_seed(0)
    if "loss" in wish:
        key = (wish["loss"], wish["backward"], wish["compiled"])
        if key not in kept:
            kept[key] = torchrl_losses.loss_call(*key)
        return times(*kept[key], wish["seconds"])
    with torch.no_grad():
        ways = (torchrl_acting.calls(wish["act"] == "draw", wish["lanes"]) if "act" in wish
                else torchrl_losses.estimator_calls(wish["estimator"], wish["steps"], wish["lanes"]))  # fmt: skip
        return min((times(way, lambda: None, wish["seconds"]) for way in ways), key=lambda way: way["median_us"])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)
