# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for plugins/envs/classic: single steps of Gymnasium's classic control environments.

Made with gymnasium 1.4.0 and numpy 2.4.6 on x86-64 with glibc 2.36. Command, from the root of the repository:
    python tests/golden/generate/classic_control.py plugins/envs/classic/golden
"""

import sys
from pathlib import Path

import gymnasium
import numpy

HEADER = f"""# single steps of {{}} of gymnasium {gymnasium.__version__}, numpy {numpy.__version__}
# made by: python tests/golden/generate/classic_control.py plugins/envs/classic/golden
# limit: steps until truncated    start: variant, state    other lines: action, state, observation, reward, terminated"""


def text(values):
    return " ".join(str(value) for value in values)


def as_float32(values):
    return [numpy.float32(value) for value in values]


def as_double(values):
    return [float(value) for value in values]


def constant(action):
    return lambda _state, _generator: action


def uniform(low, high):
    return lambda _state, generator: numpy.float32(generator.uniform(low, high))


def coin(choices):
    return lambda _state, generator: int(generator.integers(choices))


def along(speed, push, rest):
    """Mostly pushes the way things move already, which gets to the goal."""
    return lambda state, generator: push(numpy.sign(state[speed])) if generator.uniform() < 0.9 else rest(state, generator)


def three_ways(sign):
    return int(sign) + 1


class Recorder:
    def __init__(self, name, identity, out):
        self.identity = identity
        self.file = (out / f"{name}.txt").open("w", encoding="utf-8")
        self.say(HEADER.format(identity))

    def say(self, *words):
        print(*words, file=self.file)

    def limit(self, action):
        env = gymnasium.make(self.identity)
        env.reset(seed=1)
        for step in range(1, 10000):
            _, _, terminated, truncated, _ = env.step(action)
            if truncated:
                self.say("limit", step)
                return
            if terminated:
                env.unwrapped.reset(seed=step)

    def episodes(self, variant, make, count, steps, act, scale=(1.0,)):
        """Steps until the end, from starts of the env's own, stretched to reach unusual states."""
        generator = numpy.random.default_rng(20260101)
        for episode in range(count):
            env = make()
            env.reset(seed=episode)
            env.state = env.state * scale[episode % len(scale)]
            self.say("start", variant, text(as_double(env.state)))
            for _ in range(steps):
                action = act(env.state, generator)
                given = action if isinstance(action, int) else numpy.array([action], dtype=numpy.float32)
                observation, reward, terminated, _, _ = env.step(given)
                self.say(action, text(as_double(env.state)), text(as_float32(observation)), float(reward), int(terminated))
                if terminated:
                    break


def unwrapped(identity, **attributes):
    """A maker of that env; what its constructor does not take is set as an attribute, as its authors advise."""

    def make():
        env = gymnasium.make(identity).unwrapped
        for name, value in attributes.items():
            assert hasattr(env, name), name
            setattr(env, name, value)
        return env

    return make


def main():
    out = Path(sys.argv[1])

    cart = Recorder("cartpole", "CartPole-v1", out)
    env = gymnasium.make("CartPole-v1", max_episode_steps=500)
    cart.say("limit", env.spec.max_episode_steps)  # no constant action keeps the pole up that long
    for variant, attributes, count in (
        ("standard", {}, 60),
        ("sutton_barto_reward", {"_sutton_barto_reward": True}, 20),
        ("semi_implicit", {"kinematics_integrator": "semi-implicit euler"}, 20),
    ):
        cart.episodes(variant, unwrapped("CartPole-v1", **attributes), count, 60, coin(2), (1.0, 1.0, 3.0, 4.0))

    pendulum = Recorder("pendulum", "Pendulum-v1", out)
    pendulum.limit(numpy.zeros(1, dtype=numpy.float32))
    pendulum.episodes("standard", unwrapped("Pendulum-v1"), 10, 150, uniform(-3, 3))
    pendulum.episodes("gravity", unwrapped("Pendulum-v1", g=9.81), 4, 150, uniform(-2, 2))
    pendulum.episodes("many_turns", unwrapped("Pendulum-v1"), 2, 150, constant(numpy.float32(2)), (1.0, -30.0))

    car = Recorder("mountain_car", "MountainCar-v0", out)
    car.limit(1)
    car_push = along(1, three_ways, coin(3))
    car.episodes("standard", unwrapped("MountainCar-v0"), 10, 250, car_push)
    car.episodes("goal_velocity", unwrapped("MountainCar-v0", goal_velocity=0.03), 5, 250, car_push)

    continuous = Recorder("mountain_car_continuous", "MountainCarContinuous-v0", out)
    continuous.limit(numpy.zeros(1, dtype=numpy.float32))
    continuous_push = along(1, numpy.float32, uniform(-1.5, 1.5))
    continuous.episodes("standard", unwrapped("MountainCarContinuous-v0"), 10, 250, continuous_push)
    continuous.episodes("goal_velocity", unwrapped("MountainCarContinuous-v0", goal_velocity=0.03), 5, 250, continuous_push)
    continuous.episodes("random", unwrapped("MountainCarContinuous-v0"), 5, 60, uniform(-1.2, 1.2))

    acrobot = Recorder("acrobot", "Acrobot-v1", out)
    acrobot.limit(1)
    acrobot.episodes("standard", unwrapped("Acrobot-v1"), 8, 160, along(3, three_ways, coin(3)))
    acrobot.episodes("nips", unwrapped("Acrobot-v1", book_or_nips="nips"), 6, 160, along(3, three_ways, coin(3)))


if __name__ == "__main__":
    main()
