# SPDX-License-Identifier: Apache-2.0
"""Plays the recorded actions of open_spiel_test.py again in a plain loop with pyspiel, and compares every column.

    python plain_loop.py FILE GAME OPPONENT OBSERVATION PLAYER LANES SEED
"""

import collections
import json
import random
import sys

import numpy as np
import pyspiel

file, name, opponent, tensor = sys.argv[1:5]
player, lanes, seed = map(int, sys.argv[5:])
data = open(file, "rb").read()
size = int.from_bytes(data[:8], "little")
header = json.loads(data[8 : 8 + size])
types = {"F32": "f4", "I64": "i8", "BOOL": "?"}


def column(name):
    begin, end = header[name]["data_offsets"]
    return np.frombuffer(data[8 + size + begin : 8 + size + end], types[header[name]["dtype"]]).reshape(header[name]["shape"])


actions, rewards, terminated = column("action"), column("reward"), column("terminated")
steps = len(rewards) - 1
ends = list(map(tuple, np.argwhere(terminated[:steps]).tolist()))
finals = {where: row for row, where in enumerate(ends)}
told = {"steps": steps, "ends": len(ends), "chance": 0, "turns": set(), "rewards": collections.Counter()}
game = pyspiel.load_game_as_turn_based(name)
assert not column("truncated").any()

for lane in range(lanes):
    rng = random.Random(seed + lane)

    def play_on(state, me):
        while not state.is_terminal():
            if state.is_chance_node():
                told["chance"] += 1
                moves, weights = zip(*state.chance_outcomes())
                state.apply_action(rng.choices(moves, weights)[0])
            elif opponent == "random" and state.current_player() != me:
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                return

    def begin():
        while True:
            me = None if opponent == "self" else player if player >= 0 else rng.randrange(game.num_players())
            state = game.new_initial_state()
            play_on(state, me)
            if not state.is_terminal():
                return state, me

    def view(state, who):
        values = state.observation_tensor(who) if tensor == "observation" else state.information_state_tensor(who)
        return np.array(values, np.float32)

    state, me = begin()
    for step in range(steps):
        mover = state.current_player()
        told["turns"].add(mover)
        where = (name, lane, step, str(state))
        assert me in (None, mover), where
        assert np.array_equal(column("observation")[step, lane].reshape(-1), view(state, mover)), where
        assert column("turn")[step, lane] == mover, where
        assert np.flatnonzero(column("action_mask")[step, lane]).tolist() == state.legal_actions(), where
        before = state.returns()[mover]
        state.apply_action(int(actions[step, lane]))
        play_on(state, me)
        reward = state.returns()[mover] - before
        assert rewards[step, lane] == np.float32(reward), where
        assert terminated[step, lane] == state.is_terminal(), where
        told["rewards"][str(reward)] += 1
        if state.is_terminal():
            other = (mover + 1) % game.num_players() if opponent == "self" else mover
            row = finals[step, lane]
            assert np.array_equal(column("observation/final")[row].reshape(-1), view(state, other)), where
            assert column("turn/final")[row] == other, where
            state, me = begin()

told["turns"] = sorted(told["turns"])
print(json.dumps(told))
