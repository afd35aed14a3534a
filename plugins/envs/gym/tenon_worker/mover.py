# SPDX-License-Identifier: Apache-2.0
"""Agents in turns as an environment of one policy, which acts for whoever moves."""

import gymnasium
import numpy as np
from gymnasium import spaces

from .sentences import Refusal


class Mover(gymnasium.Env):
    """The columns are those of small/TicTacToe-v0: observation and mask of the agent that moves, and `turn`, which one it is. A
    step is one move, its reward is what the mover gains by it, and what follows belongs to the next mover."""

    column_names = {"observation.observation": "observation", "observation.turn": "turn"}

    def __init__(self, turns, mask):
        self.turns, self.mask = turns, "action_mask" if mask == "auto" else mask
        self.agents, self.metadata, env = turns.possible_agents, turns.metadata, turns.env
        first, space = self.agents[0], env.observation_space(self.agents[0])
        for agent in self.agents:
            if env.observation_space(agent) != space or env.action_space(agent) != env.action_space(first):
                raise Refusal(
                    "'%s' and '%s' have different spaces, so one policy cannot act for both: leave out turns = \"mover\""
                    % (first, agent), "turns")
        self.action_space, self.is_dict = env.action_space(first), type(space).__name__ == "Dict"
        parts = dict(space.spaces) if self.is_dict else {"observation": space}
        self.is_masked = self.mask in parts
        self.observation_space = spaces.Dict(**parts, turn=spaces.Discrete(len(self.agents)))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation(self.turns.reset(seed=seed)), {}

    def step(self, action):
        mover = self.turns.mover
        now = self.turns.step({mover: action})
        reward = now.rewards[mover]
        self.check(mover, reward, now.rewards)
        return self.observation(now), reward, now.terminated, now.truncated, {}

    def observation(self, now):
        """What the next mover sees; all may be done where nobody moves any more."""
        mover = self.turns.mover
        seen = dict(now.seen[mover]) if self.is_dict else {"observation": now.seen[mover]}
        if self.is_masked and not self.turns.present:
            seen[self.mask] = np.ones_like(seen[self.mask])
        return dict(seen, turn=self.agents.index(mover))

    @staticmethod
    def check(mover, reward, rewards):
        """What the others get has to follow from the mover's reward: all get the same, or two get opposite ones."""
        for agent, other in rewards.items():
            if agent != mover and other != reward and (len(rewards) > 2 or other != -reward):
                raise Refusal(
                    "the agent '%s' got a reward of %g while '%s' moved and got %g, so one reward a step does not tell both: leave "
                    "out turns = \"mover\"" % (agent, other, mover, reward))

    def render(self):
        return self.turns.render()

    def close(self):
        self.turns.close()
