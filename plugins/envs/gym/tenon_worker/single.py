# SPDX-License-Identifier: Apache-2.0
"""A vector environment of one as a single environment."""

import gymnasium
import numpy as np


class Single(gymnasium.Env):
    """Its episodes begin when `reset` says so, whatever the vector environment does by itself."""

    def __init__(self, env):
        self.env, self.step_limit = env, getattr(getattr(env, "spec", None), "max_episode_steps", None)
        self.observation_space, self.action_space = env.single_observation_space, env.single_action_space

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is None:
            observation, infos = self.env.reset()
        else:
            try:
                observation, infos = self.env.reset(seed=seed)
            except TypeError:  # ale_py's takes an array
                observation, infos = self.env.reset(seed=np.asarray([seed], np.int32))
        return nth(observation, 0), of_one(infos)

    def step(self, action):
        observation, reward, terminated, truncated, infos = self.env.step(batched(action))
        return nth(observation, 0), float(reward[0]), bool(terminated[0]), bool(truncated[0]), of_one(infos)

    def close(self):
        self.env.close()


def of_one(infos):
    return {key: value[0] for key, value in infos.items() if np.ndim(value) and len(value) == 1}


def batched(action):
    if isinstance(action, dict):
        return {key: batched(part) for key, part in action.items()}
    if isinstance(action, tuple):
        return tuple(map(batched, action))
    return np.asarray(action)[None]


def nth(values, i):
    """The value of one environment: of an array, a list, or a dict or tuple of them."""
    if isinstance(values, dict):
        return {key: nth(value, i) for key, value in values.items() if isinstance(value, dict) or np.ndim(value)}
    if isinstance(values, tuple):
        return tuple(nth(value, i) for value in values)
    return values[i]
