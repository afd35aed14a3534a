# SPDX-License-Identifier: Apache-2.0
"""Worlds with the interface of dm_env, and the tasks of dm_control's suite."""

import inspect

import gymnasium
import numpy as np
from gymnasium import spaces

from .sentences import Refusal, did_you_mean


def make(name, lanes, kwargs):
    """A task of the suite: 'cheetah-run'."""
    if lanes is not None:
        raise Refusal("dm_control's tasks have no vector form: leave out vector = \"make_vec\"", "vector")
    factory = task_factory(name)
    return DmEnv(factory(**kwargs), factory, kwargs)


def task_factory(name):
    domain, _, task = name.rpartition("-")

    def make(seed=None, **kwargs):
        from dm_control import suite

        if (domain, task) not in suite.ALL_TASKS:
            names = ["-".join(pair) for pair in suite.ALL_TASKS]
            raise Refusal("dm_control's suite has no task '%s'%s" % (name, did_you_mean(name, names, 0.5)))
        kwargs = dict(kwargs)
        if seed is not None:
            kwargs["random"] = seed
        return suite.load(domain, task, task_kwargs=kwargs)

    return make


def space_of(spec):
    """Of an array spec, a DiscreteArray, or a dict, list or tuple of them."""
    if hasattr(spec, "items"):
        return spaces.Dict(**{name: space_of(part) for name, part in spec.items()})
    if isinstance(spec, (list, tuple)):
        return spaces.Tuple([space_of(part) for part in spec])
    if hasattr(spec, "num_values"):
        return spaces.Discrete(int(spec.num_values))
    dtype = np.dtype(spec.dtype)
    if dtype == bool:
        return spaces.MultiBinary(spec.shape)
    low, high = getattr(spec, "minimum", -np.inf), getattr(spec, "maximum", np.inf)
    if np.issubdtype(dtype, np.integer):
        ends = np.iinfo(dtype)
        low, high = whole(low, ends.min, spec.shape, dtype), whole(high, ends.max, spec.shape, dtype)
    return spaces.Box(*(np.broadcast_to(b, spec.shape).astype(dtype) for b in (low, high)), spec.shape, dtype)


def whole(bounds, end, shape, dtype):
    """Bounds of whole numbers, of which the largest int64 is no float64: `end` where there are none."""
    bounds, out = np.broadcast_to(bounds, shape), np.full(shape, end, dtype)
    np.copyto(out, bounds, "unsafe", where=np.isfinite(bounds) & (np.abs(bounds) < float(np.iinfo(dtype).max)))
    return out


class DmEnv(gymnasium.Env):
    """An episode that ends with discount 0 is terminated, with another one truncated."""

    def __init__(self, env, factory, kwargs):
        self.env, self.factory, self.kwargs = env, factory, kwargs
        self.observation_space = space_of(env.observation_spec())
        self.action_space = space_of(env.action_spec())
        parameters = inspect.signature(factory).parameters
        self.takes_seed = next((name for name in ("seed", "random_state") if name in parameters), None)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None and self.takes_seed:
            self.env = self.factory(**dict(self.kwargs, **{self.takes_seed: seed}))
        return self.env.reset().observation, {}

    def step(self, action):
        now = self.env.step(action)
        over = now.last()
        ends = over and now.discount == 0
        return now.observation, float(now.reward or 0), ends, over and not ends, {"discount": now.discount}

    def render(self):
        if not hasattr(self.env, "physics"):
            raise Refusal("worlds of dm_env draw only if they have the physics of dm_control")
        return self.env.physics.render(camera_id=0)

    def close(self):
        self.env.close()
