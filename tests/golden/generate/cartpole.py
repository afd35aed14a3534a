# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for plugins/envs/classic: single steps of Gymnasium's CartPole-v1.

Made with gymnasium 1.4.0 and numpy 2.4.6. Command, from the root of the repository:
    python tests/golden/generate/cartpole.py > plugins/envs/classic/golden/cartpole.txt
"""

import gymnasium
import numpy

HEADER = f"""# single steps of CartPole-v1 of gymnasium {gymnasium.__version__}, numpy {numpy.__version__}
# made by: python tests/golden/generate/cartpole.py > plugins/envs/classic/golden/cartpole.txt
# sutton_barto_reward action | state before: x x_dot theta theta_dot | state after | observation after | reward terminated
# the time limit on its own: steps until truncated"""


def text(values):
    return " ".join(f"{float(value):.17g}" for value in values)


def episode(sutton_barto, seed, actions, scale):
    """Steps until the pole has fallen, from a start of the env's own, stretched to reach unusual states."""
    env = gymnasium.make("CartPole-v1", sutton_barto_reward=sutton_barto).unwrapped
    env.reset(seed=seed)
    env.state = env.state * scale
    for action in actions:
        before = env.state
        observation, reward, terminated, _, _ = env.step(int(action))
        print(int(sutton_barto), int(action), text(before), text(env.state), text(observation), text([reward]), int(terminated))
        if terminated:
            return


def steps_until_truncated():
    """A pole kept up by a simple rule meets the time limit of gymnasium.make."""
    env = gymnasium.make("CartPole-v1")
    observation, _ = env.reset(seed=1)
    for step in range(1, 10000):
        x, x_dot, theta, theta_dot = observation
        observation, _, terminated, truncated, _ = env.step(int(theta + 0.5 * theta_dot + 0.01 * x + 0.05 * x_dot > 0))
        if terminated:
            raise SystemExit("the rule let the pole fall")
        if truncated:
            return step


def main():
    print(HEADER)
    print("limit", steps_until_truncated())
    generator = numpy.random.default_rng(20260101)
    for seed in range(12):
        scale = [1.0, 1.0, 3.0, 40.0][seed % 4]
        episode(seed % 2 == 1, seed, generator.integers(2, size=60), scale)


if __name__ == "__main__":
    main()
