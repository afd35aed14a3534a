# SPDX-License-Identifier: Apache-2.0
"""Steps an environment as EnvPool and as Gymnasium's vectors have it, a JSON object a line: {"env": NAME, "lanes": N, "seconds": S}.
Answers with {"frames_per_s", "by"}: the better of the two, with actions drawn beforehand, in one thread.
"""

import json
import sys
import time
import warnings

import envpool
import gymnasium
import numpy

DRAWN = 64  # rows of actions, taken in turn


def rate(step, actions, lanes, seconds):
    for row in actions:
        step(row)
    steps, first = 0, time.perf_counter()
    while time.perf_counter() - first < seconds:
        for row in actions:
            step(row)
        steps += DRAWN
    return steps * lanes / (time.perf_counter() - first)


def ways(name, lanes):
    yield "EnvPool", envpool.make_gymnasium(name, num_envs=lanes, num_threads=1, seed=1)
    # CartPole has a vector of its own there
    entry = "vector_entry_point" if gymnasium.spec(name).vector_entry_point else "sync"
    yield "Gymnasium", gymnasium.make_vec(name, num_envs=lanes, vectorization_mode=entry)


def measure(wish):
    found = []
    for by, env in ways(wish["env"], wish["lanes"]):
        env.reset()
        draw = numpy.random.default_rng(0)
        if isinstance(env.action_space, gymnasium.spaces.Box):
            actions = draw.uniform(-2, 2, (DRAWN, wish["lanes"], 1)).astype(numpy.float32)
        else:
            actions = draw.integers(0, 2, (DRAWN, wish["lanes"])).astype(numpy.int32 if by == "EnvPool" else numpy.int64)
        found.append({"frames_per_s": rate(env.step, actions, wish["lanes"], wish["seconds"]), "by": by})
        env.close()
    return max(found, key=lambda way: way["frames_per_s"])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)
