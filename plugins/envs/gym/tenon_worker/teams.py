# SPDX-License-Identifier: Apache-2.0
"""Two other interfaces of several agents as PettingZoo's parallel one: that of PyMARL, which SMAC and SMACv2 have, and that of Melting
Pot, a dm_env whose specs and rewards are lists. Neither takes a seed in reset."""

import numpy as np
from gymnasium import spaces

from .dm_env import space_of


def as_parallel(env):
    """The environment with PettingZoo's interface, if it has one of these; otherwise as it is."""
    if callable(getattr(env, "get_env_info", None)) and callable(getattr(env, "get_avail_agent_actions", None)):
        return PyMarl(env)
    if callable(getattr(env, "reward_spec", None)) and isinstance(env.reward_spec(), (list, tuple)):
        return MeltingPot(env)
    return env


class Team:
    """All agents take part in every step."""

    def __init__(self, env, seen, actions):
        self.env, self.agents = env, []
        self.possible_agents = ["agent_%d" % i for i in range(len(seen))]
        self.observation_spaces = dict(zip(self.possible_agents, seen))
        self.action_spaces = dict(zip(self.possible_agents, actions))

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def begun(self, seen, infos):
        self.agents = self.possible_agents[:]
        return dict(zip(self.agents, seen)), dict(zip(self.agents, infos))

    def ended(self, seen, rewards, terminated, truncated, infos):
        agents = self.possible_agents
        self.agents = [] if terminated or truncated else agents[:]
        flags = dict.fromkeys(agents, terminated), dict.fromkeys(agents, truncated)
        return (dict(zip(agents, seen)), dict(zip(agents, rewards)), *flags, dict(zip(agents, infos)))

    def render(self):
        return self.env.render()

    def close(self):
        self.env.close()


class PyMarl(Team):
    """All agents get one reward. Those that have died may only do nothing, which their mask says."""

    def __init__(self, env):
        info = env.get_env_info()
        count, shape = int(info["n_agents"]), info["obs_shape"]
        seen = spaces.Box(-np.inf, np.inf, (int(shape),) if np.ndim(shape) == 0 else tuple(shape), np.float32)
        super().__init__(env, [seen] * count, [spaces.Discrete(int(info["n_actions"]))] * count)
        self.max_cycles = int(info.get("episode_limit") or 0)

    def seen(self):
        return [np.asarray(row, np.float32) for row in self.env.get_obs()]

    def infos(self):
        return [{"action_mask": self.env.get_avail_agent_actions(i)} for i in range(len(self.possible_agents))]

    def state(self):
        return np.asarray(self.env.get_state(), np.float32)

    def reset(self, seed=None, options=None):
        self.env.reset()
        return self.begun(self.seen(), self.infos())

    def step(self, actions):
        reward, over, info = self.env.step([int(actions[agent]) for agent in self.possible_agents])
        cut = bool(over and info.get("episode_limit", False))
        rewards = [reward] * len(self.possible_agents)
        return self.ended(self.seen(), rewards, bool(over) and not cut, cut, self.infos())


class MeltingPot(Team):
    """An episode that ends with discount 0 is terminated, with another one truncated."""

    def __init__(self, env):
        super().__init__(env, [space_of(spec) for spec in env.observation_spec()], [space_of(spec) for spec in env.action_spec()])
        self.nothing = [{} for _ in self.possible_agents]

    def state(self):
        raise NotImplementedError

    def reset(self, seed=None, options=None):
        return self.begun(self.env.reset().observation, self.nothing)

    def step(self, actions):
        now = self.env.step([actions[agent] for agent in self.possible_agents])
        over, ends = now.last(), now.last() and now.discount == 0
        return self.ended(now.observation, [float(reward) for reward in now.reward], ends, over and not ends, self.nothing)
