# SPDX-License-Identifier: Apache-2.0
"""Reference episodes for plugins/envs/small: simple_tag and simple_speaker_listener of the package mpe2, step by step.

Made with mpe2 1.1.1. Command, from the root of the repository:
    python tests/golden/generate/mpe_tag_speaker.py plugins/envs/small/golden
"""

import sys
from importlib.metadata import version

import numpy
from mpe2 import simple_speaker_listener_v4, simple_tag_v3

MADE = "# made by: python tests/golden/generate/mpe_tag_speaker.py plugins/envs/small/golden"


def text(*numbers):
    return " ".join(f"{float(number):.17g}" for part in numbers for number in numpy.ravel(part))


def seen(numbers):
    return " ".join(f"{float(number):.9g}" for number in numpy.ravel(numbers))


def places(entities):
    return [entity.state.p_pos for entity in entities]


def tag(out, seed, size):
    """One episode of random actions, in which agents begin within a square of this size."""
    env = simple_tag_v3.parallel_env(max_cycles=25, continuous_actions=False)
    env.reset(seed=seed)
    world = env.unwrapped.world
    for agent in world.agents:
        agent.state.p_pos = agent.state.p_pos * size
    print("start", text(places(world.agents), places(world.landmarks)), file=out)
    generator = numpy.random.default_rng(seed)
    while env.agents:
        actions = generator.integers(5, size=4)
        _, rewards, _, _, _ = env.step(dict(zip(env.agents, map(int, actions))))
        speeds = [agent.state.p_vel for agent in world.agents]
        print(*actions, text([rewards["adversary_0"], rewards["agent_0"]], places(world.agents), speeds), seen(env.state()), file=out)


def speak(out, seed):
    env = simple_speaker_listener_v4.parallel_env(max_cycles=25, continuous_actions=False)
    env.reset(seed=seed)
    world = env.unwrapped.world
    goal = world.landmarks.index(world.agents[0].goal_b)
    print("start", goal, text(world.agents[1].state.p_pos, places(world.landmarks)), seen(env.state()), file=out)
    generator = numpy.random.default_rng(seed)
    while env.agents:
        says, way = int(generator.integers(3)), int(generator.integers(5))
        _, rewards, _, _, _ = env.step({"speaker_0": says, "listener_0": way})
        listener = world.agents[1].state
        print(says, way, text(rewards["listener_0"], listener.p_pos, listener.p_vel), seen(env.state()), file=out)


with open(sys.argv[1] + "/tag.txt", "w", encoding="utf-8") as file:
    print(f"# episodes of simple_tag_v3 of mpe2 {version('mpe2')}, 3 adversaries and 1 agent, discrete actions\n{MADE}", file=file)
    print("# start: places of adversaries, the agent and obstacles", file=file)
    print("# other lines: actions, rewards of an adversary and of the agent, places, speeds, what all see", file=file)
    tag(file, 0, 1.0)
    tag(file, 1, 0.15)  # bodies that push each other
    tag(file, 2, 1.8)  # outside of the square
with open(sys.argv[1] + "/speaker.txt", "w", encoding="utf-8") as file:
    print(f"# episodes of simple_speaker_listener_v4 of mpe2 {version('mpe2')}, discrete actions\n{MADE}", file=file)
    print("# start: the goal's number, places of the listener and of landmarks, what both see", file=file)
    print("# other lines: word, way, reward, place and speed of the listener, what both see", file=file)
    for number in range(3):
        speak(file, number)
