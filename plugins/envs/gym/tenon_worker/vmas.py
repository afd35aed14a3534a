# SPDX-License-Identifier: Apache-2.0
"""Worlds of VMAS: one world of many environments, which steps all lanes of this worker at once, with torch."""

import numpy as np

from .agents import AgentColumns, joined, listed
from .sentences import Refusal, did_you_mean, how_to_install, sentence_of
from .spaces import Column, observation_columns
from .vector_lanes import VectorLanes

FIXED = ("scenario", "num_envs", "device", "wrapper", "dict_spaces", "grad_enabled", "terminated_truncated")  # of make_env


def is_vmas(config):
    return config["id"].startswith("vmas:")


def make_world(config, lanes):
    name = config["id"].partition(":")[2]
    kwargs, limit = dict(config["kwargs"]), config["max_episode_steps"]
    try:
        import vmas
    except ModuleNotFoundError as error:
        raise Refusal("'%s' needs the module %s: %s" % (config["name"], error.name, how_to_install(error.name))) from error
    taken = [key for key in FIXED if key in kwargs]
    if taken:
        raise Refusal("kwargs cannot have %s, which the program chooses" % listed(taken), "kwargs")
    if limit >= 0:
        kwargs["max_steps"] = limit or None
    known = [n for kind in ("scenarios", "mpe_scenarios", "debug_scenarios") for n in getattr(vmas, kind, ())]
    if known and name not in known:
        raise Refusal("vmas has no scenario '%s'%s" % (name, did_you_mean(name, known, 0.6)))
    try:
        return vmas.make_env(scenario=name, num_envs=lanes, terminated_truncated=True, **kwargs)
    except Exception as error:
        raise Refusal("the scenario '%s' refuses its kwargs %s: %s" % (name, kwargs, sentence_of(error)), "kwargs") from error


class VmasWorld(AgentColumns):
    """All agents take part in every step. The state is what all of them see."""

    def __init__(self, env, config):
        super().__init__([agent.name for agent in env.agents], config)
        spaces = {agent.name: (seen, acts) for agent, seen, acts in zip(env.agents, env.observation_space, env.action_space)}
        for group, agents in self.groups.items():
            left_out = self.left_out(group, config)
            columns = [observation_columns(spaces[agent][0], "observation", (), left_out) for agent in agents]
            if not columns[0]:
                raise Refusal("leave_out leaves no observation of '%s'" % group, "leave_out")
            self.observations += joined(group, agents, columns)
            self.add_action_and_reward(group, agents, lambda agent: spaces[agent][1])
        self.of_agents = len(self.observations)
        if "state" not in config["leave_out"]:
            size = sum(column.size for column in self.observations)
            self.observations.append(Column("observation", "state", (), "unbounded", "float32", (size,)))
        self.limit = env.max_steps or 0


def describe(config):
    return VmasWorld(make_world(config, 1), config)


class VmasLanes(VectorLanes):
    """Each lane is an environment of the world. An episode begins in the step in which the last one ends."""

    def __init__(self, config, world, slab):
        import torch

        torch.set_num_threads(1)
        self.torch, self.world, self.slab, self.count = torch, world, slab, config["lanes"]
        self.env, self.left_out = make_world(config, self.count), np.zeros(self.count, bool)
        self.number = {agent.name: i for i, agent in enumerate(self.env.agents)}

    def write(self, seen):
        """What the agents of all lanes see; `seen` has a tensor, or a dict of them, for each agent."""
        slabs, count = self.slab.observations, self.world.of_agents
        for column, slab in zip(self.world.observations[:count], slabs):
            for i, agent in enumerate(column.agents):
                part = seen[self.number[agent]]
                for index in column.path:
                    part = part[index]
                slab[:, i] = part.numpy()
        for state in slabs[count:]:
            np.concatenate([slab.reshape(self.count, -1) for slab in slabs[:count]], axis=1, out=state)

    def begin(self, lanes, seeds=None):
        if len(lanes) == self.count:
            self.write(self.env.reset(seed=seeds[0] if seeds else None))
            return
        for lane in lanes:
            self.env.reset_at(lane, return_observations=False)
        parts = dict(get_rewards=False, get_infos=False, get_dones=False)
        self.write(self.env.get_from_scenario(get_observations=True, **parts)[0])

    def actions(self):
        out = [None] * len(self.number)
        for columns, agents in self.world.actions.parts:
            for agent, i, read in agents:
                action = read([slab[:, i] for slab in self.slab.actions[columns]], slice(None))
                out[self.number[agent]] = self.torch.from_numpy(np.array(action))
        return out

    def step(self, lanes):
        self.require_all(lanes)
        slab = self.slab
        seen, rewards, terminated, truncated, _ = self.env.step(self.actions())
        for column, rows in zip(self.world.rewards, slab.rewards):
            for i, agent in enumerate(column.agents):
                rows[:, i] = rewards[self.number[agent]].numpy()
        slab.reward[:] = sum(reward.numpy().astype(np.float64) for reward in rewards) / len(rewards)
        slab.terminated[:] = terminated.numpy()
        slab.truncated[:] = truncated.numpy() & ~slab.terminated
        self.write(seen)
        over = np.flatnonzero(slab.terminated | slab.truncated).tolist()
        if over:
            for final, now in zip(slab.finals, slab.observations):
                final[over] = now[over]
            self.begin(over)

    def close(self):
        pass
