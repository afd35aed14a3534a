# SPDX-License-Identifier: Apache-2.0
"""Games of OpenSpiel as environments of one policy, which plays one of the players or all of them.

Turns are those of small/TicTacToe-v0: observation, mask and reward of a step are those of the player who is asked for its
action, and `turn` is that player. Against random opponents this is always the same player in an episode, and a step goes on
until it is asked again. With opponent "self" a step is one move, and what follows belongs to another player."""

import random

import gymnasium
import numpy as np
import pyspiel
from gymnasium import spaces

from .sentences import Refusal, did_you_mean

BEGINNINGS = 1000  # games that may end before the policy is asked for an action


def make(name, lanes, kwargs):
    if lanes is not None:
        raise Refusal("OpenSpiel's games have no vector form: leave out vector = \"make_vec\"", "vector")
    return Game(name, **kwargs)


def load(name):
    """A game in which one player moves at a time: of simultaneous moves none is seen before all are made."""
    short = name.partition("(")[0]
    if short not in pyspiel.registered_names():
        raise Refusal("OpenSpiel has no game '%s'%s" % (short, did_you_mean(short, pyspiel.registered_names(), 0.5)))
    try:
        game = pyspiel.load_game_as_turn_based(name)
    except pyspiel.SpielError as error:
        raise Refusal("OpenSpiel cannot make the game '%s': %s" % (name, " ".join(str(error).split()))) from None
    kind = game.get_type()
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise Refusal("'%s' is a mean-field game, which has no players who move in turn" % name)
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise Refusal("OpenSpiel draws the chance of '%s' by itself, so that no seed determines it" % name)
    return game


def shape_of(game, name, view):
    kind = game.get_type()
    shapes = {}
    if kind.provides_observation_tensor:
        shapes["observation"] = game.observation_tensor_shape()
    if kind.provides_information_state_tensor:
        shapes["information_state"] = game.information_state_tensor_shape()
    if view not in shapes:
        other = ': set observation = "%s"' % next(iter(shapes)) if shapes else ", nor another one"
        raise Refusal("'%s' has no %s tensor%s" % (name, view.replace("_", " "), other), "observation")
    return shapes[view]


class Game(gymnasium.Env):
    column_names = {"observation.observation": "observation", "observation.turn": "turn"}

    def __init__(self, name, observation="observation", opponent="random", player=-1):
        self.game, self.name, self.view, self.plays_all = load(name), name, observation, opponent == "self"
        self.shape, self.player, self.players = shape_of(self.game, name, observation), player, self.game.num_players()
        if player >= self.players:
            raise Refusal("'%s' has the players 0 to %d, and no player %d" % (name, self.players - 1, player), "player")
        utility, kinds = self.game.get_type().utility, pyspiel.GameType.Utility
        tells_all = utility == kinds.IDENTICAL or (utility == kinds.ZERO_SUM and self.players == 2)
        if self.plays_all and self.players > 1 and not tells_all:
            raise Refusal(
                "'%s' cannot be played with opponent = \"self\": a step has the reward of the player who moves, which says "
                "what the others get only if all get the same, or two get opposite rewards" % name,
                "opponent",
            )
        choices = self.game.num_distinct_actions()
        self.action_space = spaces.Discrete(choices)
        self.observation_space = spaces.Dict(
            observation=spaces.Box(-np.inf, np.inf, self.shape, np.float32),
            turn=spaces.Discrete(self.players),
            action_mask=spaces.MultiBinary(choices),
        )
        self.random = random.Random()
        self.state, self.mover, self.legal = None, 0, []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.random.seed(seed)
        for _ in range(BEGINNINGS):
            if not self.plays_all:
                self.mover = self.random.randrange(self.players) if self.player < 0 else self.player
            self.state = self.game.new_initial_state()
            self.go_on()
            if not self.state.is_terminal():
                return self.observation(), {}
        raise Refusal("%d games of '%s' ended before player %d moved" % (BEGINNINGS, self.name, self.mover))

    def step(self, action):
        action = int(action)
        if action not in self.legal:
            raise Refusal("the move %d is not legal, which the action_mask forbids" % action)
        mover, before = self.mover, self.state.returns()[self.mover]
        self.state.apply_action(action)
        self.go_on()
        reward = self.state.returns()[mover] - before
        return self.observation(), reward, self.state.is_terminal(), False, {}

    def go_on(self):
        """Until the policy is asked for an action, or the game ends."""
        state = self.state
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes())
                state.apply_action(self.random.choices(outcomes, weights)[0])
            elif self.plays_all:
                self.mover = state.current_player()
                return
            elif state.current_player() == self.mover:
                return
            else:
                state.apply_action(self.random.choice(state.legal_actions()))
        if self.plays_all:
            self.mover = (self.mover + 1) % self.players  # who sees the end: the other player

    def observation(self):
        state, is_over = self.state, self.state.is_terminal()
        tensor = state.observation_tensor if self.view == "observation" else state.information_state_tensor
        self.legal = [] if is_over else state.legal_actions()
        mask = np.full(self.action_space.n, is_over)
        mask[self.legal] = True
        return {
            "observation": np.array(tensor(self.mover), np.float32).reshape(self.shape),
            "turn": self.mover,
            "action_mask": mask,
        }
