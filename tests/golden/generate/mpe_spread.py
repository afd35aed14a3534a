# SPDX-License-Identifier: Apache-2.0
"""Reference episodes for plugins/envs/small: simple_spread of the package mpe2, step by step.

Made with mpe2 1.1.1. Command, from the root of the repository:
    python tests/golden/generate/mpe_spread.py plugins/envs/small/golden/spread.txt
"""

import sys
from importlib.metadata import version

import numpy
from mpe2 import simple_spread_v3

HEADER = f"""# episodes of simple_spread_v3 of mpe2 {version("mpe2")}, 3 agents, discrete actions, local_ratio 0.5
# made by: python tests/golden/generate/mpe_spread.py plugins/envs/small/golden/spread.txt
# start: positions of agents, positions of landmarks, observations of all agents
# other lines: actions, rewards, observations of all agents"""
NAMES = [f"agent_{i}" for i in range(3)]


def text(numbers):
    return " ".join(f"{float(number):.9g}" for number in numpy.ravel(numbers))


def play(out, seed, spread):
    """One episode of random actions, whose agents start within a square of this size."""
    env = simple_spread_v3.parallel_env(N=3, local_ratio=0.5, max_cycles=25, continuous_actions=False)
    env.reset(seed=seed)
    raw = env.aec_env.unwrapped
    for agent in raw.world.agents:
        agent.state.p_pos = agent.state.p_pos * spread
    seen = [raw.observe(name) for name in NAMES]
    places = [agent.state.p_pos for agent in raw.world.agents] + [landmark.state.p_pos for landmark in raw.world.landmarks]
    print("start", *(f"{number:.17g}" for place in places for number in place), text(seen), file=out)
    generator = numpy.random.default_rng(seed)
    while env.agents:
        actions = generator.integers(5, size=3)
        seen, rewards, _, _, _ = env.step({name: int(action) for name, action in zip(NAMES, actions)})
        print(*actions, text([rewards[name] for name in NAMES]), text([seen[name] for name in NAMES]), file=out)


with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(HEADER, file=file)
    play(file, 0, 1.0)
    play(file, 1, 0.2)  # agents that push each other
    play(file, 2, 0.05)
