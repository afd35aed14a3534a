# SPDX-License-Identifier: Apache-2.0
"""A native env with groups of agents as a parallel environment of PettingZoo."""

import ctypes

import gymnasium
import numpy as np

from ._env import space_of
from ._library import Handle, library
from ._run import TenonError, overrides

try:
    from pettingzoo import ParallelEnv as Base
except ModuleNotFoundError:  # its interface is enough for most of what takes one
    Base = object


class Part:
    """A column of a group, as each of its agents has it."""

    def __init__(self, handle, group, key):
        self.key, self.name, column = key, key[len(group) + 1 :], handle.columns[key]
        agents, *shape = column["shape"]
        size = int(np.prod(shape, dtype=int))

        def bounds(side, i):
            each = column[side]
            return each[i * size : (i + 1) * size] if len(each) == agents * size > 1 else each

        self.spaces = [space_of(dict(column, shape=shape, low=bounds("low", i), high=bounds("high", i))) for i in range(agents)]
        self.is_mask = self.name.endswith("_mask")
        self.is_one = column["kind"] == "categorical" and not shape

    def value(self, memory, i):
        value = memory[self.key][i]
        return int(value) if self.is_one else value.astype(np.int8) if self.is_mask else value.copy()


class ParallelEnv(Base):
    """One copy of an env of a plugin, "small/Spread-v0", whose agents are in groups, or of a manifest's [env] with its wrappers.
    The agents of the group `agents` are agents_0, agents_1, ... options: as in the manifest's [env]."""

    metadata = {"name": "tenon", "render_modes": []}
    render_mode = None

    def __init__(self, env, **options):
        texts = [text.encode() for text in overrides({"env": options})]
        opened = library().tenon_env_open(str(env).encode(), 1, (ctypes.c_char_p * len(texts))(*texts), len(texts))
        self._handle = handle = Handle(opened, 1)
        self._places, self._seen, self._acts = {}, {}, {}
        for key in handle.of_role("action"):
            group, dot, rest = key.partition(".action")
            if rest or not dot:
                raise TenonError(2, f"{env} has the action '{key}', which is not one of a group of agents")
            self._add(group, key)
        self.possible_agents, self.agents = list(self._places), []
        self.observation_spaces = {agent: self._space(self._seen[group], i) for agent, (group, i) in self._places.items()}
        self.action_spaces = {agent: self._acts[group].spaces[i] for agent, (group, i) in self._places.items()}
        if "state" in handle.columns:
            self.state_space = space_of(handle.columns["state"])

    def _add(self, group, action):
        handle = self._handle
        names = [key for key in handle.of_role("observation") if key.startswith(group + ".") and key != group + ".present"]
        self._seen[group], self._acts[group] = [Part(handle, group, key) for key in names], Part(handle, group, action)
        for i in range(handle.columns[action]["shape"][0]):
            self._places[f"{group}_{i}"] = (group, i)

    @staticmethod
    def _space(parts, i):
        if len(parts) == 1:
            return parts[0].spaces[i]
        return gymnasium.spaces.Dict({part.name: part.spaces[i] for part in parts})

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def _of(self, agent, name, slot, otherwise):
        group, i = self._places[agent]
        rows = self._handle.memory.get(f"{group}.{name}")
        return otherwise if rows is None else rows[slot, 0, i]

    def _look(self, agents, memory):
        out = {}
        for agent in agents:
            group, i = self._places[agent]
            parts = {part.name: part.value(memory, i) for part in self._seen[group]}
            out[agent] = next(iter(parts.values())) if len(parts) == 1 else parts
        return out

    def _rows(self, memory, slot):
        return {key: rows[slot, 0] for key, rows in memory.items()}

    def _present(self, slot):
        return [agent for agent in self.possible_agents if self._of(agent, "present", slot, True)]

    def reset(self, seed=None, options=None):
        handle = self._handle
        handle.call(handle.library.tenon_env_reset, -1 if seed is None else int(seed))
        self._last = None
        self.agents = self._present(handle.head())
        return self._look(self.agents, self._rows(handle.memory, handle.head())), {agent: {} for agent in self.agents}

    def step(self, actions):
        handle, acted = self._handle, self.agents
        slot = handle.head()
        for agent in acted:
            group, i = self._places[agent]
            handle.memory[self._acts[group].key][slot, 0, i] = actions[agent]
        handle.call(handle.library.tenon_env_step)
        now = handle.head()
        ends, cut = (bool(handle.memory[key][slot, 0].any()) for key in ("terminated", "truncated"))
        over = ends or cut
        common = float(handle.memory["reward"][slot, 0]) if "reward" in handle.memory else 0.0
        rewards = {agent: float(self._of(agent, "reward", slot, common)) for agent in acted}
        dead = {agent: ends or bool(self._of(agent, "terminated", slot, False)) for agent in acted}
        present = [] if over else self._present(now)
        left = {agent: not dead[agent] and (cut or (not over and agent not in present)) for agent in acted}
        self.agents = [agent for agent in present if not dead.get(agent) and not left.get(agent)]
        self._last = self._rows(handle.final, slot) if over else None
        seen = self._look(dict.fromkeys(acted + self.agents), self._last or self._rows(handle.memory, now))
        return seen, rewards, dead, left, {agent: {} for agent in seen}

    def state(self):
        if "state" not in self._handle.columns:
            raise NotImplementedError("this env has no column 'state'")
        return (self._last or self._rows(self._handle.memory, self._handle.head()))["state"].copy()

    def render(self):
        raise NotImplementedError("`tenon play` shows pictures of an env")

    def close(self):
        self._handle.close()
