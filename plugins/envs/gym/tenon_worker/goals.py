# SPDX-License-Identifier: Apache-2.0
"""Rewards of other goals, by the functions of Gymnasium's goal environments."""

import numpy as np

from .sentences import Refusal

ACHIEVED, DESIRED = "observation.achieved_goal", "observation.desired_goal"


class Judge:
    """An environment that no episode begins in."""

    def __init__(self, name, env, world):
        columns = {column.key: column for column in world.observations}
        self.env, self.core = env, getattr(env, "unwrapped", env)
        for key in (ACHIEVED, DESIRED):
            if key not in columns:
                raise Refusal("'%s' observes no '%s', as environments with goals do" % (name, key.partition(".")[2]))
        if not hasattr(self.core, "compute_reward"):
            raise Refusal("'%s' has no function compute_reward(achieved_goal, desired_goal, info)" % name)
        self.column = columns[ACHIEVED]

    def judge(self, rows, data):
        """Of what was achieved in all rows, and then the goals of all rows: the rewards, and whether each is an end."""
        achieved, desired = np.frombuffer(data, self.column.dtype).reshape((2, rows) + self.column.shape).copy()
        rewards = self.of_rows("compute_reward", achieved, desired)
        ends = np.zeros(rows)
        if hasattr(self.core, "compute_terminated"):
            ends = self.of_rows("compute_terminated", achieved, desired)
        return rewards.astype("float64").tobytes() + ends.astype(bool).tobytes()

    def of_rows(self, function, achieved, desired):
        """All rows in one call, where the function gives a number for each of them."""
        function = getattr(self.core, function)
        try:
            values = np.asarray(function(achieved, desired, {}))
        except (IndexError, TypeError, ValueError):  # it is meant for single rows
            values = np.zeros(())
        if values.shape != (len(achieved),):
            values = np.asarray([function(a, d, {}) for a, d in zip(achieved, desired)], np.float64).reshape(-1)
        return values

    def close(self):
        self.env.close()
