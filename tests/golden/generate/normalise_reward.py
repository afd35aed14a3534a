# SPDX-License-Identifier: Apache-2.0
"""Reference numbers for tests/unit/sdk/normalise_reward_test.cpp: Gymnasium's NormalizeReward on scripted episodes of
which some are terminated and some truncated.

Made with gymnasium 1.4.0 and numpy 2.4.6. Command, from the root of the repository:
    python tests/golden/generate/normalise_reward.py > tests/golden/normalise_reward.txt
"""

import gymnasium
import numpy

GAMMA = 0.9
EPSILON = 1e-8
STEPS = 60
TERMINATED = {4, 5, 17, 30, 44}
TRUNCATED = {9, 23, 30, 51}
HEADER = f"""# NormalizeReward of gymnasium {gymnasium.__version__}, numpy {numpy.__version__}, gamma {GAMMA}, epsilon {EPSILON}
# made by: python tests/golden/generate/normalise_reward.py > tests/golden/normalise_reward.txt
# a line a step: reward, terminated, truncated, what becomes of the reward"""


class Script(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1, 1, (1,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.rewards = 3 * numpy.random.default_rng(5).standard_normal(STEPS) + 1
        self.at = 0

    def reset(self, *, seed=None, options=None):
        return numpy.zeros(1, numpy.float32), {}

    def step(self, action):
        at = self.at
        self.at += 1
        return numpy.zeros(1, numpy.float32), float(self.rewards[at]), at in TERMINATED, at in TRUNCATED, {}


script = Script()
env = gymnasium.wrappers.NormalizeReward(script, gamma=GAMMA, epsilon=EPSILON)
print(HEADER)
env.reset()
for t in range(STEPS):
    _, reward, terminated, truncated, _ = env.step(0)
    print(f"{script.rewards[t]:.17g} {int(terminated)} {int(truncated)} {float(reward):.17g}")
    if terminated or truncated:
        env.reset()
