# SPDX-License-Identifier: Apache-2.0
"""Worlds of several agents for the tests of gym/env, with the interfaces of PettingZoo but without the package: stand-ins of the
same shape as those of mpe2 and of pettingzoo.classic, agents that come and go, and some that misbehave."""

import json
import types

import numpy as np
from gymnasium import spaces


class Parallel:
    """What PettingZoo's parallel environments have in common."""

    metadata = {"name": "stand-in"}
    render_mode = None

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    @property
    def unwrapped(self):
        return self

    def close(self):
        pass


class Spread(Parallel):
    """simple_spread of mpe2, with its names, spaces, physics and rewards. With `starts`, a file, episode i begins as the i-th row
    says: the agents' places and then the landmarks'."""

    def __init__(self, local_ratio=0.5, max_cycles=25, starts=None):
        self.possible_agents, self.agents = ["agent_%d" % i for i in range(3)], []
        self.observation_spaces = {a: spaces.Box(-np.inf, np.inf, (18,), np.float32) for a in self.possible_agents}
        self.action_spaces = {a: spaces.Discrete(5) for a in self.possible_agents}
        self.state_space = spaces.Box(-np.inf, np.inf, (54,), np.float32)
        self.local_ratio, self.max_cycles, self.random = local_ratio, max_cycles, np.random.default_rng()
        self.starts, self.lane, self.episode = starts and json.load(open(starts)), 0, -1

    def reset(self, seed=None, options=None):
        if seed is not None:
            self.random, self.lane = np.random.default_rng(seed), seed
        self.agents, self.steps, self.speeds, self.episode = self.possible_agents[:], 0, np.zeros((3, 2)), self.episode + 1
        points = self.random.uniform(-1, 1, (6, 2))
        if self.starts:
            points = np.array(self.starts[self.lane][self.episode])
        self.places, self.landmarks = points[:3].copy(), points[3:]
        return self.seen(), {a: {} for a in self.agents}

    def seen(self):
        out = {}
        for i, agent in enumerate(self.possible_agents):
            others = [self.places[k] - self.places[i] for k in range(3) if k != i]
            parts = [self.speeds[i], self.places[i], (self.landmarks - self.places[i]).ravel(), *others, np.zeros(4)]
            out[agent] = np.concatenate(parts).astype(np.float32)
        return out

    def state(self):
        return np.concatenate(list(self.seen().values()))

    def step(self, actions):
        ways = np.array([[0, 0], [-1, 0], [1, 0], [0, -1], [0, 1]], float)
        forces = 5 * ways[[actions[a] for a in self.possible_agents]]
        for i in range(3):
            for k in range(i + 1, 3):
                apart = self.places[i] - self.places[k]
                distance = np.sqrt((apart**2).sum())
                force = 100 * apart / distance * np.logaddexp(0, -(distance - 0.3) / 1e-3) * 1e-3
                forces[i], forces[k] = forces[i] + force, forces[k] - force
        self.places = self.places + self.speeds * 0.1
        self.speeds = self.speeds * 0.75 + forces * 0.1
        self.steps += 1
        apart = np.sqrt(((self.places[:, None] - self.places[None]) ** 2).sum(-1))
        team = -np.sqrt(((self.landmarks[:, None] - self.places[None]) ** 2).sum(-1)).min(1).sum()
        own = 1 - (apart < 0.3).sum(1)
        rewards = team * (1 - self.local_ratio) + own * self.local_ratio
        seen, over = self.seen(), self.steps >= self.max_cycles
        agents, self.agents = self.agents, [] if over else self.agents
        by = dict(zip(agents, rewards.tolist()))
        return seen, by, dict.fromkeys(agents, False), dict.fromkeys(agents, over), {a: {} for a in agents}


def mpe2_spread(starts=None, **kwargs):
    """simple_spread of mpe2 itself, from the same starts."""
    from mpe2 import simple_spread_v3

    env = simple_spread_v3.parallel_env(**kwargs)
    begin, at = env.reset, {"episode": -1, "lane": 0}

    def reset(seed=None, options=None):
        seen, infos = begin(seed=seed, options=options)
        at.update(episode=at["episode"] + 1, lane=at["lane"] if seed is None else seed)
        if starts:
            raw = env.unwrapped
            entities = raw.world.agents + raw.world.landmarks
            for entity, point in zip(entities, json.load(open(starts))[at["lane"]][at["episode"]]):
                entity.state.p_pos = np.array(point)
            seen = {agent: raw.observe(agent) for agent in env.agents}
        return seen, infos

    env.reset = reset
    return env


class Comers(Parallel):
    """Two kinds of agents with different spaces. ant_1 dies with step 2; bee_0 comes after step 1; bee_1 leaves with step 3. All
    others are cut off after step 5. The action masks of bees are infos: only action steps % 3 is allowed."""

    possible_agents = ["ant_0", "ant_1", "bee_0", "bee_1"]
    ant = spaces.Dict(at=spaces.Box(-9, 9, (2,), np.float32), kind=spaces.Discrete(3, start=1))
    bee = spaces.Box(0, 255, (3,), np.uint8)
    push, choice = spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(3)
    observation_spaces = {"ant_0": ant, "ant_1": ant, "bee_0": bee, "bee_1": bee}
    action_spaces = {"ant_0": push, "ant_1": push, "bee_0": choice, "bee_1": choice}

    def __init__(self, faults=()):
        self.faults, self.episode, self.lane = faults, -1, None  # the i-th fault is in the i-th episode of lane i

    def reset(self, seed=None, options=None):
        self.lane, self.episode = self.lane if seed is None else seed, self.episode + 1
        self.agents, self.steps, self.moved = ["ant_0", "ant_1", "bee_1"], 0, {}
        return self.seen(self.agents), self.infos(self.agents)

    def seen(self, agents):
        place = lambda a: np.asarray(self.moved.get(a, (0, 0)), np.float32)
        return {a: {"at": place(a), "kind": 1 + self.steps % 3} if a[0] == "a" else np.full(3, 10 * self.steps + int(a[-1]), np.uint8)
                for a in agents}

    def infos(self, agents):
        return {a: {"action_mask": np.eye(3, dtype=np.int8)[self.steps % 3]} if a[0] == "b" else {} for a in agents}

    def step(self, actions):
        acted = self.agents
        assert set(actions) == set(acted), (actions, acted)
        for agent in acted:
            assert agent[0] == "a" or actions[agent] == self.steps % 3, actions
            self.moved[agent] = actions[agent]
        self.steps += 1
        ended = {a: (a, self.steps) == ("ant_1", 2) for a in acted}
        cut = {a: (a, self.steps) == ("bee_1", 3) or self.steps == 5 for a in acted}
        self.agents = [a for a in acted if not ended[a] and not cut[a]] + (["bee_0"] if self.steps == 1 else [])
        rewards = {a: self.steps + 0.5 * (a[0] == "b") for a in acted}
        seen = self.seen(dict.fromkeys(acted + self.agents))
        if self.steps == 4 and self.episode == self.lane < len(self.faults):
            self.misbehave(self.faults[self.lane], seen, rewards)
        return seen, rewards, ended, cut, self.infos(dict.fromkeys(acted + self.agents))

    def misbehave(self, what, seen, rewards):
        if what == "unknown":
            self.agents = self.agents + ["wasp_0"]
        if what == "shape":
            seen["bee_0"] = np.zeros(4, np.uint8)
        if what == "part":
            del seen["ant_0"]["kind"]
        if what == "unseen":
            del seen["ant_0"]
        if what == "reward":
            rewards["ant_0"] = "much"


class TicTacToe:
    """tictactoe_v3 of pettingzoo.classic: its names, spaces, masks, turns and rewards."""

    metadata, render_mode, possible_agents = {"name": "stand-in"}, None, ["player_1", "player_2"]
    state = None  # its own, not the function of PettingZoo's interface
    lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]

    def __init__(self, pays=1):
        self.pays = pays  # what the one who loses pays
        seen = spaces.Dict(observation=spaces.Box(0, 1, (3, 3, 2), np.int8), action_mask=spaces.Box(0, 1, (9,), np.int8))
        self.observation_spaces = {a: seen for a in self.possible_agents}
        self.action_spaces = {a: spaces.Discrete(9) for a in self.possible_agents}

    observation_space, action_space, close = Parallel.observation_space, Parallel.action_space, Parallel.close

    @property
    def unwrapped(self):
        return self

    def agent_iter(self, most=2**63):
        while self.agents and most > 0:
            most -= 1
            yield self.agent_selection

    def last(self, observe=True):
        agent = self.agent_selection
        return (self.observe(agent) if observe else None, self._cumulative_rewards[agent], self.terminations[agent],
                self.truncations[agent], self.infos[agent])

    def reset(self, seed=None, options=None):
        self.board, self.agents, self.agent_selection = np.zeros(9, int), self.possible_agents[:], "player_1"
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0), dict.fromkeys(self.agents, 0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos = {a: {} for a in self.agents}

    def observe(self, agent):
        me = self.possible_agents.index(agent) + 1
        seen = np.stack([self.board == me, self.board == 3 - me], -1).reshape(3, 3, 2).astype(np.int8)
        return {"observation": seen, "action_mask": ((self.board == 0) & (agent == self.agent_selection)).astype(np.int8)}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            assert action is None
            self.agents.remove(agent)
            for by in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
                del by[agent]
            self.agent_selection = self.agents[0] if self.agents else agent
            return
        assert self.board[action] == 0, action
        other = self.possible_agents[1 - self.possible_agents.index(agent)]
        self.board[action] = self.possible_agents.index(agent) + 1
        self._cumulative_rewards[agent], self.rewards = 0, dict.fromkeys(self.agents, 0)
        has_line = any(len(set(self.board[line])) == 1 and self.board[line[0]] for line in self.lines)
        if has_line:
            self.rewards = {agent: 1, other: -self.pays}
        if has_line or self.board.all():
            self.terminations = dict.fromkeys(self.agents, True)
        for who in self.agents:
            self._cumulative_rewards[who] += self.rewards[who]
        self.agent_selection = other


class Battle:
    """The interface of PyMARL, as SMACv2 has it: the second agent dies with step 2, and an episode is cut off after 4 steps, or has
    ended after 3 if the first agent has always chosen 1."""

    def get_env_info(self):
        return {"n_agents": 2, "obs_shape": 3, "state_shape": 2, "n_actions": 4, "episode_limit": 4}

    def reset(self):
        self.steps, self.wins = 0, True
        return self.get_obs(), self.get_state()

    def get_obs(self):
        return [[self.steps, i, 0.5] if i == 0 or self.steps < 2 else [0, 0, 0] for i in range(2)]

    def get_state(self):
        return np.array([self.steps, 7.0])

    def get_avail_agent_actions(self, agent):
        return [0, 1, 1, 1] if agent == 0 or self.steps < 2 else [1, 0, 0, 0]

    def step(self, actions):
        assert all(self.get_avail_agent_actions(i)[action] for i, action in enumerate(actions)), actions
        self.steps, self.wins = self.steps + 1, self.wins and actions[0] == 1
        won, late = self.wins and self.steps == 3, self.steps == 4
        return 10.0 * won + self.steps, won or late, {"episode_limit": True} if late else {}

    def close(self):
        pass


class Substrate:
    """The interface of Melting Pot: specs, observations and rewards are lists, and actions are one for each player."""

    def __init__(self, discount=1.0):
        self.discount = discount

    def spec(self, **parts):
        return types.SimpleNamespace(**parts)

    def observation_spec(self):
        picture = self.spec(shape=(2, 2, 3), dtype=np.uint8, minimum=0, maximum=255)
        return [{"RGB": picture, "READY_TO_SHOOT": self.spec(shape=(), dtype=np.float64)} for _ in range(3)]

    def action_spec(self):
        return [self.spec(num_values=5) for _ in range(3)]

    def reward_spec(self):
        return [self.spec(shape=(), dtype=np.float64) for _ in range(3)]

    def seen(self, rewards):
        seen = [{"RGB": np.full((2, 2, 3), 10 * self.steps + i, np.uint8), "READY_TO_SHOOT": np.float64(i)} for i in range(3)]
        over = self.steps == 4
        return self.spec(observation=seen, reward=rewards, discount=self.discount if over else 1.0, last=lambda: over)

    def reset(self):
        self.steps = 0
        return self.seen(None)

    def step(self, actions):
        self.steps += 1
        return self.seen([np.float64(action + 0.25 * i) for i, action in enumerate(actions)])

    def close(self):
        pass


class AntsInTurns(Comers):
    """In turns, although their actions are no choices."""

    agent_iter, infos = None, {}

    def reset(self, seed=None, options=None):
        self.agents = self.possible_agents[:]

    def observe(self, agent):
        return None


class NoAgents(Parallel):
    observation_spaces, action_spaces = Comers.observation_spaces, Comers.action_spaces

    def reset(self, seed=None, options=None):
        self.agents = ["ant_0"]
        return {}, {}

    def step(self, actions):
        pass


class NobodyNamed(Parallel):
    possible_agents = Comers.possible_agents
    observation_spaces, action_spaces = Comers.observation_spaces, Comers.action_spaces

    def reset(self, seed=None, options=None):
        return {}, {}

    def step(self, actions):
        pass


def env(**kwargs):
    """As a module of PettingZoo has it."""
    return TicTacToe(**kwargs)
