# SPDX-License-Identifier: Apache-2.0
"""What environments of several agents look like to the program, and the lanes that step them."""

import numpy as np

from .agents import AgentColumns, joined, of_each
from .lanes import Lanes
from .sentences import Refusal, sentence_of
from .slab import CONTINUE
from .spaces import STORED, Column, observation_columns, row_of
from .zoo import Turns


class AgentWorld(AgentColumns):
    """The columns of each group, below its name: observation, action, reward; present and terminated, if agents may leave;
    action_mask, if there is one. And the state, if the environment has one."""

    def __init__(self, env, config):
        super().__init__(env.possible_agents, config)
        self.mask_key = "action_mask" if config["action_mask"] == "auto" else config["action_mask"]
        self.masks, self.state, self.in_turns = [], [], isinstance(env, Turns)
        begun = env.reset(seed=0)
        masked = []
        for group, agents in self.groups.items():
            masked += [group] if self.add(group, agents, env, config, begun) else []
        if config["action_mask"] not in ("auto", "none") and not masked:
            raise Refusal("no agent has an info or an observation '%s' with one element an action" % self.mask_key, "action_mask")
        if "state" not in config["leave_out"]:
            self.add_state(env)
        self.limit = env.step_limit

    def add(self, group, agents, env, config, begun):
        unmapped, columns, mask = [], [], None
        for agent in agents:
            space, mask = self.without_mask(env, agent, config, begun)
            key = "observation"
            if mask == "observation" and len(space.spaces) == 1:  # {"observation": ..., "action_mask": ...}
                (name, space), = space.spaces.items()
                columns.append(observation_columns(space, key, (name,), self.left_out(group, config), unmapped))
            else:
                columns.append(observation_columns(space, key, (), self.left_out(group, config), unmapped))
        if not columns[0]:
            raise unmapped[0] if unmapped else Refusal("leave_out leaves no observation of '%s'" % group, "leave_out")
        self.notes += list(dict.fromkeys(part.note() for part in unmapped))
        self.observations += joined(group, agents, columns)
        self.add_action_and_reward(group, agents, env.action_space)
        if not env.stays:
            self.observations.append(of_each(group, agents, "observation", "present", "binary", "bool"))
            self.ends.append(of_each(group, agents, "end", "terminated", "binary", "bool"))
        if mask:
            choices = (int(env.action_space(agents[0]).n),)
            self.observations.append(of_each(group, agents, "observation", "action_mask", "binary", "bool", choices))
            self.masks.append((self.observations[-1], mask))
        return mask

    def without_mask(self, env, agent, config, begun):
        """The space of an agent without the mask, and where the mask is."""
        import gymnasium

        space, key = env.observation_space(agent), self.mask_key
        discrete = type(env.action_space(agent)).__name__ == "Discrete"
        if self.in_turns and not discrete:
            raise Refusal(
                "the agent '%s' has %s, and agents that act in turns need Discrete ones: while others move, their mask allows only "
                "the action 0, which is not used" % (agent, env.action_space(agent)))
        if key == "none" or not discrete:
            return space, "turn" if self.in_turns else None
        if type(space).__name__ == "Dict" and key in space.spaces:
            return gymnasium.spaces.Dict(**{k: v for k, v in space.spaces.items() if k != key}), "observation"
        if np.size(begun.infos.get(agent, {}).get(key, ())) == env.action_space(agent).n:
            return space, "info"
        return space, "turn" if self.in_turns else None

    def add_state(self, env):
        if not callable(getattr(env.core, "state", None)):  # an attribute of its own
            return
        try:
            value = np.asarray(env.state())
        except (NotImplementedError, AttributeError):
            return
        dtype = STORED.get(value.dtype.name)
        if dtype is None:
            raise Refusal("the state is %r, which is no array of numbers" % (value,))
        kind = "binary" if dtype == "bool" else "unbounded"
        self.state = [Column("observation", "state", (), kind, dtype, value.shape)]
        self.observations += self.state


class AgentLanes(Lanes):
    """One environment of several agents a lane."""

    def __init__(self, config, world, slab, envs):
        self.world, self.slab, self.name, self.frame, self.envs = world, slab, config["name"], None, envs
        self.read, self.plain, self.rows = world.actions.read, False, [None] * len(envs)
        self.masks = {id(column): where for column, where in world.masks}

    def write(self, env, moment, slabs, lane):
        for column, slab in zip(self.world.observations, slabs):
            if column in self.world.state:
                slab[lane] = row_of(column, env.state())
            elif column.key == column.group + ".present":
                slab[lane] = [agent in moment.present for agent in column.agents]
            elif id(column) in self.masks:
                self.write_mask(env, moment, column, slab[lane])
            else:
                column.write(slab[lane], moment.seen)

    def write_mask(self, env, moment, column, row):
        where, key = self.masks[id(column)], self.world.mask_key
        source = moment.infos if where == "info" else moment.seen
        for i, agent in enumerate(column.agents):
            if agent not in moment.present:
                row[i] = True  # nobody acts on it
            elif self.world.in_turns and agent != env.mover:
                row[i] = False
                row[i, 0] = True
            elif where == "turn":
                row[i] = True
            elif key not in source.get(agent, ()) and (moment.terminated or moment.truncated):
                row[i] = True
            elif key not in source.get(agent, ()):
                raise Refusal("the agent '%s' got no action mask '%s'" % (agent, key))
            else:
                row[i] = row_of(column.each[i], source[agent][key])

    def reset(self, lane):
        env, seed = self.envs[lane], int(self.slab.seed[lane])
        moment = env.reset() if seed == CONTINUE else env.reset(seed=seed)
        self.write(env, moment, self.slab.observations, lane)

    def step(self, lanes, begins=True):
        for lane in lanes:
            try:
                self.step_one(self.envs[lane], lane, begins)
            except (Exception, SystemExit) as error:
                self.slab.failed[lane] = 1
                self.slab.say(sentence_of(error))

    def step_one(self, env, lane, begins):
        slab = self.slab
        acted = env.present
        moment = env.step(self.read(slab.actions, lane))
        over = moment.terminated or moment.truncated
        self.write(env, moment, slab.finals if over else slab.observations, lane)
        for column, rows in zip(self.world.rewards, slab.rewards):
            rows[lane] = [self.reward_of(moment, agent) if agent in acted else 0 for agent in column.agents]
        for column, rows in zip(self.world.ends, slab.ends):
            rows[lane] = [agent in moment.ended for agent in column.agents]
        slab.reward[lane] = sum(self.reward_of(moment, agent) for agent in acted) / len(acted)
        slab.terminated[lane], slab.truncated[lane] = moment.terminated, moment.truncated
        if over and begins:
            self.write(env, env.reset(), slab.observations, lane)

    @staticmethod
    def reward_of(moment, agent):
        try:
            return float(moment.rewards[agent])
        except (KeyError, TypeError, ValueError):
            reward = moment.rewards.get(agent) if hasattr(moment.rewards, "get") else moment.rewards
            raise Refusal("the reward of '%s' is %r, and should be one number" % (agent, reward)) from None
