# SPDX-License-Identifier: Apache-2.0
"""Times PyTorch's side of bench/sequence_peers.py: {"make": NAME, "with": {..}, "compiled": BOOL, "seconds": S}, a JSON object
a line. Answers with {"median_us", "min_us", "cpu_us"}, or with {"left_out": why} for what torch.compile does not compile.
{"version": true} asks for the version of PyTorch."""

import json
import statistics
import sys
import time
import warnings

import torch

import torch_sequences

WARM_UP, LEAST, LEAST_OF_SLOW = 5, 50, 5  # as tenon bench
kept = {}  # calls by what was wished, because compiling one takes long


def call_of(wish):
    key = json.dumps([wish["make"], wish["with"], wish["compiled"]])
    if key not in kept:
        torch.manual_seed(0)
        call = torch_sequences.MAKERS[wish["make"]](wish["compiled"], **wish["with"])
        call()
        kept[key] = call
    return kept[key]


def times(call, seconds):
    for _ in range(WARM_UP):
        call()
    taken, processor = [], []
    first = time.perf_counter()
    while True:
        spent = (time.perf_counter() - first) / seconds
        if spent >= 1 and (len(taken) >= LEAST or (spent >= 2 and len(taken) >= LEAST_OF_SLOW)):
            return {"median_us": statistics.median(taken), "min_us": min(taken), "cpu_us": statistics.median(processor)}
        used, start = time.process_time(), time.perf_counter()
        call()
        taken.append(1e6 * (time.perf_counter() - start))
        processor.append(1e6 * (time.process_time() - used))


def measure(wish):
    try:
        call = call_of(wish)
    except Exception as failure:  # whatever a compiler says
        if not wish["compiled"]:
            raise
        return {"left_out": " ".join(str(failure).split())[:200]}
    return times(call, wish["seconds"])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    for line in sys.stdin:
        wish = json.loads(line)
        print(json.dumps(torch.__version__.split("+")[0] if "version" in wish else measure(wish)), flush=True)
