# SPDX-License-Identifier: Apache-2.0
"""Steps an environment as others have it, a JSON object a line: {"env": NAME, "lanes": N, "threads": N, "by": WAY, "seconds": S}.
Answers with {"frames_per_s", "by"}, with actions drawn beforehand. WAY is one of
    native     the better of EnvPool and, in one thread, Gymnasium's vector environment
    processes  the better of Gymnasium's AsyncVectorEnv and Stable-Baselines3's SubprocVecEnv, a process for each environment
    ale        ale-py's vector environment, with the settings of preprocessing = "standard"
"""

import json
import sys
import time
import warnings

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


def native(name, lanes, threads):
    import envpool

    yield "EnvPool", envpool.make_gymnasium(name, num_envs=lanes, num_threads=threads, seed=1)
    if threads == 1:
        # CartPole has a vector of its own there
        entry = "vector_entry_point" if gymnasium.spec(name).vector_entry_point else "sync"
        yield "Gymnasium", gymnasium.make_vec(name, num_envs=lanes, vectorization_mode=entry)


def processes(name, lanes, threads):
    from stable_baselines3.common.env_util import make_vec_env
    from stable_baselines3.common.vec_env import SubprocVecEnv

    yield "Gymnasium", gymnasium.make_vec(name, num_envs=lanes, vectorization_mode="async")
    yield "Stable-Baselines3", make_vec_env(name, lanes, vec_env_cls=SubprocVecEnv)


def ale(name, lanes, threads):
    from ale_py.vector_env import AtariVectorEnv

    yield "ale-py", AtariVectorEnv(name, lanes, num_threads=threads, stack_num=1, reward_clipping=False, use_fire_reset=False,
                                   autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)  # fmt: skip


WAYS = {"native": native, "processes": processes, "ale": ale}


def drawn_actions(env, by, lanes):
    draw = numpy.random.default_rng(0)
    space = getattr(env, "single_action_space", env.action_space)
    if isinstance(space, gymnasium.spaces.Box):
        low, high = space.low.reshape(-1)[0], space.high.reshape(-1)[0]
        return draw.uniform(low, high, (DRAWN, lanes, *space.shape)).astype(space.dtype)
    return draw.integers(0, int(space.n), (DRAWN, lanes)).astype(numpy.int32 if by == "EnvPool" else numpy.int64)


def measure(wish):
    found = []
    for by, env in WAYS[wish["by"]](wish["env"], wish["lanes"], wish["threads"]):
        env.reset()
        actions = drawn_actions(env, by, wish["lanes"])
        found.append({"frames_per_s": rate(env.step, actions, wish["lanes"], wish["seconds"]), "by": by})
        env.close()
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        print(json.dumps(measure(json.loads(line))), flush=True)
