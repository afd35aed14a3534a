# SPDX-License-Identifier: Apache-2.0
"""A native env as a vector environment of Gymnasium."""

import ctypes

import gymnasium
import numpy as np

from ._library import Handle, library, packed, unpacked
from ._run import TenonError, overrides


def space_of(column):
    """The space of one lane."""
    shape, dtype, kind = tuple(column["shape"]), np.dtype(column["dtype"]), column["kind"]
    if kind == "categorical" and np.prod(shape, dtype=int) == 1:
        return gymnasium.spaces.Discrete(column["categories"][0])
    if kind in ("categorical", "multi-categorical"):
        counts = np.broadcast_to(np.array(column["categories"], dtype=np.int64), shape)
        return gymnasium.spaces.MultiDiscrete(counts)
    if kind == "binary":
        return gymnasium.spaces.MultiBinary(shape)
    least, most = (-np.inf, np.inf) if dtype.kind == "f" else (np.iinfo(dtype).min, np.iinfo(dtype).max) if dtype.kind != "b" else (0, 1)
    # JSON has no infinities: there a bound is null.
    low, high = (np.array([end if one is None else one for one in column[side]] or [end]) for side, end in (("low", least), ("high", most)))

    def whole(values):
        return values.reshape(shape) if values.size == int(np.prod(shape)) else np.full(shape, values.flat[0])

    return gymnasium.spaces.Box(whole(low).astype(dtype), whole(high).astype(dtype), shape, dtype.type)


class Env(gymnasium.vector.VectorEnv):
    """`lanes` copies of an env of a plugin, "classic/CartPole-v1", or of a manifest's [env] with its wrappers, stepped
    together. Where an episode ends, the observation is the first one of the next episode, and infos["final_obs"] has the
    last one (autoreset in the same step). options: as in the manifest's [env]."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}

    def __init__(self, env, lanes=1, **options):
        texts = [text.encode() for text in overrides({"env": options})]
        opened = library().tenon_env_open(str(env).encode(), lanes, (ctypes.c_char_p * len(texts))(*texts), len(texts))
        self._handle = handle = Handle(opened, lanes)
        self._observations, self._actions = handle.of_role("observation"), handle.of_role("action")
        self._rewards = handle.of_role("reward")
        self._scalar = {key: int(np.prod(handle.columns[key]["shape"])) == 1 for key in self._actions}
        if len(self._rewards) != 1:
            raise TenonError(2, f"{env} has {len(self._rewards)} rewards; Gymnasium's interface has one")
        self.num_envs = lanes
        spaces = {key: space_of(handle.columns[key]) for key in self._observations + self._actions}

        def space(keys):
            return spaces[keys[0]] if len(keys) == 1 else gymnasium.spaces.Dict({key: spaces[key] for key in keys})

        self.single_observation_space, self.single_action_space = space(self._observations), space(self._actions)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, lanes)
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, lanes)

    def _observed(self, slot, memory):
        return packed({key: self._shaped(key, memory[key][slot].copy()) for key in self._observations})

    def _shaped(self, key, value):
        is_one = self._handle.columns[key]["kind"] == "categorical" and value[0].size == 1
        return value.reshape(self.num_envs) if is_one else value

    def reset(self, *, seed=None, options=None):
        self._handle.call(self._handle.library.tenon_env_reset, -1 if seed is None else int(seed))
        return self._observed(self._handle.head(), self._handle.memory), {}

    def step(self, actions):
        handle = self._handle
        slot = handle.head()
        for key, value in unpacked(actions, self._actions).items():
            rows = handle.memory[key][slot]
            rows[...] = np.asarray(value).reshape(rows.shape)
        handle.call(handle.library.tenon_env_step)
        terminated = handle.memory["terminated"][slot].astype(bool).reshape(self.num_envs)
        truncated = handle.memory["truncated"][slot].astype(bool).reshape(self.num_envs)
        reward = handle.memory[self._rewards[0]][slot].astype(np.float64).reshape(self.num_envs)
        infos = {}
        if (terminated | truncated).any():
            infos = {"final_obs": self._observed(slot, handle.final), "_final_obs": terminated | truncated}
        return self._observed(handle.head(), handle.memory), reward, terminated, truncated, infos

    def close_extras(self, **kwargs):
        self._handle.close()
