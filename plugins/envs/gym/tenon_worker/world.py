# SPDX-License-Identifier: Apache-2.0
"""What environments look like to the program."""

import numpy as np

from .actions import Actions
from .sentences import Refusal, check_reset, did_you_mean
from .spaces import STORED, Column, children, observation_columns


class World:
    """What an environment looks like to the program: its columns, and where their values are found."""

    rewards = ends = ()  # of groups of agents

    def __init__(self, env, config):
        self.infos, self.mask = [], None
        self.has_one_a_lane = False  # of a vector environment
        space = env.observation_space
        if config["action_mask"] != "none":
            space = self.find_mask(env, space, config["action_mask"])
        unmapped = []
        self.observations = observation_columns(space, "observation", leave_out=config["leave_out"], unmapped=unmapped)
        for key in config["leave_out"]:
            self.check_part(space, key)
        if not self.observations:
            raise unmapped[0] if unmapped else Refusal("leave_out leaves no observation", "leave_out")
        self.notes = [part.note() for part in unmapped]  # for the user's log
        if self.mask == "observation" and len(space.spaces) == 1:
            for column in self.observations:  # {"observation": ..., "action_mask": ...}
                column.key = column.key.replace("observation.%s" % column.path[0], "observation", 1)
        names = getattr(env, "column_names", {})  # of an adapter: keys of parts that have a name of their own
        for column in self.observations:
            column.key = names.get(column.key, column.key)
        self.actions = Actions(env.action_space)
        if self.mask:
            choices = (int(env.action_space.n),)
            self.observations.append(Column("observation", "action_mask", (self.mask_key,), "binary", "bool", choices))
        samples = dict(check_reset(env.reset(seed=0))[1]) if config["infos"] else {}
        if not all(name in samples for name in config["infos"]):
            samples.update(self.infos_of_a_step(env, samples))
        for name in config["infos"]:
            if name not in samples:
                known = ", ".join(sorted(str(key) for key in samples)) or "none"
                raise Refusal("there is no info '%s' after a reset and a step; there are: %s" % (name, known), "infos")
            self.infos.append(info_column(name, samples[name]))
        spec = getattr(env, "spec", None)
        limit = getattr(spec, "max_episode_steps", None) or getattr(env, "step_limit", None)
        self.limit = limit or max(0, config["max_episode_steps"])

    @staticmethod
    def check_part(space, key):
        at = "observation"
        for name in key.split(".")[1:]:
            parts = dict((n, part) for n, _, part in children(space)) if hasattr(space, "spaces") else {}
            if name not in parts:
                known = did_you_mean(name, list(parts), 0.6) or "; it has " + (", ".join(parts) or "no parts")
                raise Refusal("leave_out names '%s', but %s has no '%s'%s" % (key, at, name, known), "leave_out")
            space, at = parts[name], at + "." + name

    def find_mask(self, env, space, name):
        """The space without the mask."""
        import gymnasium

        key, auto = ("action_mask", True) if name == "auto" else (name, False)
        discrete = type(env.action_space).__name__ == "Discrete"
        if auto and not discrete:
            return space
        if not discrete:
            raise Refusal("action_mask needs a Discrete action space, and there is %s" % env.action_space, "action_mask")
        self.mask_key = key
        if type(space).__name__ == "Dict" and key in space.spaces:
            self.mask = "observation"
            return gymnasium.spaces.Dict(**{k: v for k, v in space.spaces.items() if k != key})
        infos = check_reset(env.reset(seed=0))[1]
        if np.size(infos.get(key, ())) == env.action_space.n:
            self.mask = "info"
        elif not auto:
            raise Refusal("there is no info or observation '%s' with one element an action" % name, "action_mask")
        return space

    def infos_of_a_step(self, env, infos):
        env.action_space.seed(0)
        mask = np.asarray(infos[self.mask_key], np.int8) if self.mask == "info" else None
        return env.step(env.action_space.sample() if mask is None else env.action_space.sample(mask))[4]

    def lines(self):
        out = ["limit\t%d" % self.limit] + ["note\t" + note for note in self.notes]
        return out + [column.line() for column in self.observations + self.actions.columns + self.infos]


def info_column(name, value):
    array = np.asarray(value)
    dtype = STORED.get(array.dtype.name)
    if dtype is None:
        raise Refusal("the info '%s' is %r, which is no number and no array of numbers" % (name, value), "infos")
    return Column("extra", "info." + name, (name,), "binary" if dtype == "bool" else "unbounded", dtype, array.shape)
