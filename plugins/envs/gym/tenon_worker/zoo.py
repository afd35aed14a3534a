# SPDX-License-Identifier: Apache-2.0
"""Environments of several agents with the interfaces of PettingZoo: parallel, in which all agents act in each step, and AEC, in
which they act in turns. Nothing of PettingZoo is imported here: a class with one of the interfaces is enough."""

import importlib

from .sentences import Refusal, check_reset

FAMILIES = ("atari", "butterfly", "classic", "sisl")  # modules of pettingzoo, which ids may leave out
MAKERS = ("parallel_env", "env", "raw_env")  # what a module of PettingZoo's has, the first choice first


class Moment:
    """What a reset or a step leaves behind, by agent. `ended` are the agents whose life has ended with the step."""

    def __init__(self, seen, infos, present, rewards=None, ended=(), terminated=False, truncated=False):
        self.seen, self.infos, self.present, self.rewards, self.ended = seen, infos, present, rewards, ended
        self.terminated, self.truncated = terminated, truncated


def make(name, lanes, kwargs):
    """What a module makes: "mpe2.simple_spread_v3", or "classic.tictactoe_v3" of PettingZoo itself; after a colon, the name of one
    of its functions or classes."""
    if lanes is not None:
        raise Refusal("environments of several agents have no vector form here: leave out vector = \"make_vec\"", "vector")
    name, colon, function = name.partition(":")
    module, makers = load(name), (function,) if colon else MAKERS
    maker = next((n for n in makers if callable(getattr(module, n, None))), None)
    if maker is None:
        what = "no function %s" % function if colon else "none of the functions " + ", ".join(MAKERS)
        raise Refusal("the module %s (%s) has %s" % (name, module.__file__, what))
    return getattr(module, maker)(**kwargs)


def load(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        top = name.partition(".")[0]
        if error.name != top:
            raise
        try:
            return importlib.import_module("pettingzoo." + name)
        except ModuleNotFoundError as second:
            is_of_pettingzoo = top in FAMILIES or second.name not in ("pettingzoo", "pettingzoo." + top)
            raise second if is_of_pettingzoo else error


def is_pettingzoo(name):
    """Whether a module of this name makes environments of several agents."""
    try:
        module = load(name)
    except Exception:
        return False
    return any(callable(getattr(module, maker, None)) for maker in MAKERS)


def has_agents(env):
    return callable(getattr(env, "observation_space", None)) and callable(getattr(env, "action_space", None))


def with_agents(env, config):
    """One of the classes of this module around the environment, or a Mover."""
    in_turns = hasattr(env, "agent_iter") or hasattr(env, "last")
    if config["turns"] == "mover":
        if not in_turns:
            raise Refusal("in '%s' all agents act at once: leave out turns = \"mover\"" % config["name"], "turns")
        import gymnasium

        from .mover import Mover

        limit, env = config["max_episode_steps"], Mover(Turns(config["name"], env, 0, False), config["action_mask"])
        return gymnasium.wrappers.TimeLimit(env, limit) if limit > 0 else env
    kind = Turns if in_turns else Parallel
    return kind(config["name"], env, max(0, config["max_episode_steps"]), not config["may_leave"])


def agents_of(name, env):
    agents = getattr(env, "possible_agents", None)
    if not agents:
        raise Refusal(
            "'%s' has no list possible_agents: the columns of a run are fixed before it begins, so all agents that may ever take "
            "part have to be known" % name
        )
    return list(agents)


class Zoo:
    """What both interfaces have in common. `stays` are environments in which all agents take part in every step."""

    def __init__(self, name, env, limit, stays):
        self.name, self.env, self.stays, self.steps, self.present = name, env, stays, 0, []
        self.possible_agents, self.metadata = agents_of(name, env), getattr(env, "metadata", None) or {}
        self.observation_space, self.action_space, self.state_space = env.observation_space, env.action_space, None
        self.limit = limit

    @property
    def core(self):
        return getattr(self.env, "unwrapped", self.env)

    def taking_part(self):
        agents = getattr(self.env, "agents", None)
        if agents is None:
            raise Refusal("'%s' has no list agents after reset: it says which of possible_agents take part" % self.name)
        return list(agents)

    def state(self):
        return self.env.state()

    def render(self):
        return self.env.render()

    def close(self):
        if hasattr(self.env, "close"):
            self.env.close()

    def begin(self, seen, infos):
        self.steps = 0
        self.check(seen)
        return Moment(seen, infos, self.present)

    def check(self, seen):
        """That only agents appear which the program knows, and that all of them are there if they always have to be."""
        for agent in self.present:
            if agent not in self.possible_agents:
                raise Refusal(
                    "the agent '%s' takes part, and possible_agents of '%s' has only %s"
                    % (agent, self.name, ", ".join(map(repr, self.possible_agents)))
                )
            if agent not in seen:
                raise Refusal("the agent '%s' takes part and has no observation" % agent)
        lacking = [agent for agent in self.possible_agents if self.stays and self.present and agent not in self.present]
        if lacking:
            raise Refusal(
                "the agent '%s' does not take part, while others do: leave out may_leave = false, by which all of them always do"
                % lacking[0]
            )

    def end(self, acted, seen, infos, rewards, ended, cut):
        """A step in which agents acted, after which some have ended and others are cut off."""
        self.steps += 1
        self.check(seen)
        over = not self.present
        terminated = over and all(agent in ended for agent in acted)
        truncated = (over and not terminated) or (not over and 0 < self.limit <= self.steps)
        if self.stays and truncated and ended:
            raise Refusal("the agent '%s' has terminated and others are truncated: leave out may_leave = false" % min(ended))
        # Of an episode that is cut off, the last values are those of agents that would have gone on.
        go_on = [agent for agent in acted if agent not in ended] if over and truncated else self.present
        return Moment(seen, infos, go_on, rewards, ended, terminated, truncated)


class Parallel(Zoo):
    """All agents that are in `agents` act in each step."""

    def __init__(self, name, env, limit, stays):
        super().__init__(name, env, limit, stays)
        known = [n for n in (limit, getattr(self.core, "max_cycles", 0)) if isinstance(n, int) and n > 0]
        self.step_limit = min(known, default=0)

    def reset(self, *, seed=None):
        seen, infos = check_reset(self.env.reset() if seed is None else self.env.reset(seed=seed))
        self.present = self.taking_part()
        return self.begin(seen, infos)

    def step(self, actions):
        acted = self.present
        result = self.env.step({agent: actions[agent] for agent in acted})
        if not isinstance(result, tuple) or len(result) != 5:
            raise Refusal(
                "step returned no (observations, rewards, terminations, truncations, infos), as PettingZoo's parallel "
                "environments do"
            )
        seen, rewards, ended, cut, infos = result
        gone = {agent for agent in acted if ended.get(agent) or cut.get(agent)}
        self.present = [agent for agent in self.env.agents if agent not in gone]
        return self.end(acted, seen, infos, rewards, {agent for agent in acted if ended.get(agent)}, cut)


class Turns(Zoo):
    """One agent acts in each step; the actions of the others are not used. All agents see and are rewarded in each step."""

    step_limit = 0

    def __init__(self, name, env, limit, stays):
        super().__init__(name, env, limit, stays)
        self.step_limit = limit

    @property
    def mover(self):
        return self.env.agent_selection

    def reset(self, *, seed=None):
        if seed is None:
            self.env.reset()
        else:
            self.env.reset(seed=seed)
        self.present = self.taking_part()
        return self.begin(self.look(self.present), self.infos())

    def look(self, agents):
        return {agent: self.env.observe(agent) for agent in agents}

    def infos(self):
        return dict(self.env.infos)

    def step(self, actions):
        env, acted, mover = self.env, self.present, self.env.agent_selection
        before = dict(env._cumulative_rewards, **{mover: 0})  # what the mover has got before was given to it before
        env.step(actions[mover])
        rewards = {agent: env._cumulative_rewards[agent] - before[agent] for agent in acted}
        ended = {agent for agent in acted if env.terminations[agent]}
        gone = ended | {agent for agent in acted if env.truncations[agent]}
        self.present = [agent for agent in env.agents if agent not in gone]
        seen, infos = self.look(dict.fromkeys(acted + self.present)), self.infos()
        while self.present and env.agent_selection in gone:
            env.step(None)  # an agent that has ended says so once more, and is no longer in `agents`
        return self.end(acted, seen, infos, rewards, ended, gone)
