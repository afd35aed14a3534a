# SPDX-License-Identifier: Apache-2.0
"""Groups of agents: which agents are in which group, and the columns that a group has."""

import fnmatch
import re

from .actions import Actions
from .sentences import Refusal, did_you_mean
from .spaces import Column, row_of


def groups_of(agents, patterns):
    """The agents of each group. Without patterns, agents whose names differ only in a number are a group, named as they are;
    if all are, it is `agents`."""
    if not patterns:
        by_prefix = {}
        for agent in agents:
            by_prefix.setdefault(re.sub(r"_?\d+$", "", str(agent)) or "agents", []).append(agent)
        if len(by_prefix) == 1:
            return {"agents": agents}
        return {re.sub(r"\W", "_", prefix): members for prefix, members in by_prefix.items()}
    groups, group_of = {}, {}
    for name, words in patterns.items():
        words = [words] if isinstance(words, str) else words
        groups[name] = [agent for agent in agents if any(fnmatch.fnmatchcase(str(agent), str(word)) for word in words)]
        for word in words:
            if not fnmatch.filter(map(str, agents), str(word)):
                raise Refusal("the group '%s' has '%s', which is no agent%s; there are %s" % (
                    name, word, did_you_mean(str(word), list(map(str, agents)), 0.6), listed(agents)), "groups")
        for agent in groups[name]:
            if group_of.setdefault(agent, name) != name:
                raise Refusal("the agent '%s' is in the groups '%s' and '%s'" % (agent, group_of[agent], name), "groups")
    lacking = [agent for agent in agents if agent not in group_of]
    if lacking:
        raise Refusal("the agent '%s' is in no group: groups has %s" % (lacking[0], listed(patterns)), "groups")
    return groups


def listed(names):
    return ", ".join("'%s'" % name for name in names)


class GroupColumn(Column):
    """A column of a group: a row for each agent, of which each has a column of its own."""

    def __init__(self, group, agents, each):
        first = each[0]
        low = [x for column in each for x in spread(column.low, column.size)]
        high = [x for column in each for x in spread(column.high, column.size)]
        super().__init__(first.role, group + "." + first.key, first.path, first.kind, first.dtype, (len(agents),) + first.shape,
                         low, high, first.categories)
        self.group, self.agents, self.each = group, agents, each

    def write(self, row, values):
        """The rows of agents that have values, and zeros for the others."""
        for i, (agent, column) in enumerate(zip(self.agents, self.each)):
            if agent not in values:
                row[i] = 0
                continue
            part = values[agent]
            try:
                for index in column.path:
                    part = part[index]
            except (KeyError, IndexError, TypeError):
                raise Refusal("the observation of '%s' lacks the part '%s' of its space" % (agent, column.key)) from None
            try:
                row[i] = row_of(column, part)
            except Refusal as error:
                raise Refusal("of the agent '%s': %s" % (agent, error)) from None


def spread(bounds, size):
    return list(bounds) * size if len(bounds) == 1 else list(bounds)


def joined(group, agents, columns):
    """The columns of a group from those of each agent, which have to be alike."""
    first = [text_of(column) for column in columns[0]]
    for agent, others in zip(agents, columns):
        mine = [text_of(column) for column in others]
        if mine != first:
            here, there = next(((a, b) for a, b in zip(first, mine) if a != b), (", ".join(first), ", ".join(mine)))
            raise Refusal(
                "the agents '%s' and '%s' of the group '%s' differ: %s, and %s. Give each kind a group: "
                "groups = { NAME = \"PATTERN\", ... }" % (agents[0], agent, group, here, there), "groups")
    return [GroupColumn(group, agents, list(each)) for each in zip(*columns)]


def text_of(column):
    choices = " of %s" % "x".join(str(n) for n in column.categories) if len(column.categories) else ""
    return "%s is %s %s%s" % (column.key, column.dtype.name, list(column.shape), choices)


def of_each(group, agents, role, key, kind, dtype, shape=()):
    return GroupColumn(group, agents, [Column(role, key, (), kind, dtype, shape) for _ in agents])


class AgentColumns:
    """The columns of several agents, by group."""

    has_one_a_lane = False

    def __init__(self, agents, config):
        if config["infos"]:
            raise Refusal("infos of several agents become no columns", "infos")
        self.observations, self.rewards, self.ends, self.infos, self.notes = [], [], [], [], []
        self.actions, self.groups, self.limit = GroupActions(), groups_of(agents, config["groups"]), 0

    def add_action_and_reward(self, group, agents, space_of):
        self.actions.add(group, agents, space_of)
        self.rewards.append(of_each(group, agents, "reward", "reward", "unbounded", "float32"))

    @staticmethod
    def left_out(group, config):
        return [key[len(group) + 1 :] for key in config["leave_out"] if key.startswith(group + ".")]

    def lines(self):
        columns = self.observations + self.actions.columns + self.infos + self.rewards + self.ends
        return ["limit\t%d" % self.limit] + ["note\t" + note for note in self.notes] + [column.line() for column in columns]


class GroupActions:
    """The actions of all groups, as columns and, of a lane, by agent."""

    def __init__(self):
        self.columns, self.parts = [], []

    def add(self, group, agents, space_of):
        each = [Actions(space_of(agent)) for agent in agents]
        first = len(self.columns)
        self.columns += joined(group, agents, [actions.columns for actions in each])
        self.parts.append((slice(first, len(self.columns)), [(agent, i, actions.read) for i, (agent, actions) in
                                                           enumerate(zip(agents, each))]))

    def read(self, slabs, lane):
        out = {}
        for columns, agents in self.parts:
            rows = [slab[lane] for slab in slabs[columns]]
            for agent, i, read in agents:
                out[agent] = read(rows, i)
        return out
