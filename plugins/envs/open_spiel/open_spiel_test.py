#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs with open_spiel/game: the values of a plain loop with pyspiel, turns, masks, chance, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "gym"))

from worlds_case import PYTHON, PythonCase, main

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "support"))
from patience import PATIENCE  # noqa: E402

LOOP = Path(__file__).with_name("plain_loop.py")
MANIFEST = Path(__file__).resolve().parents[3] / "manifests" / "open_spiel_tic_tac_toe.toml"
RANDOM = """
[run]
total_frames = 40

[env]
plugin = "open_spiel/game"
python = "{python}"
lanes = {lanes}
{more}

[policy.any]
plugin = "random/random"

[train]
batch = {lanes}

[checkpoint]
every_frames = 128
"""


class Games(PythonCase):
    def manifest(self, python=PYTHON, lanes=3, after="", **more):
        path = self.folder / "m.toml"
        lines = [f"{key} = {json.dumps(value)}" for key, value in more.items()]
        path.write_text(RANDOM.format(python=python, lanes=lanes, more="\n".join(lines) + after))
        return path

    def refused(self, said, PYTHONPATH="", **more):
        text = " ".join(self.tenon("validate", self.manifest(**more), code=2, PYTHONPATH=PYTHONPATH).split())
        self.assertIn(said, text)
        self.assertIn("m.toml:", text)

    def equals_a_plain_loop(self, game, opponent, frames=600, observation="observation", player=-1):
        """Returns what the loop counted: ends, moves of chance, sum of the rewards."""
        file = self.folder / "frames.safetensors"
        manifest = self.manifest(game=game, opponent=opponent, observation=observation, player=player, workers=2,
                                 seed_offset=7)
        self.tenon("record", manifest, "--frames", frames, "--actions", "random", "--out", file)
        words = [PYTHON, LOOP, file, game, opponent, observation, player, 3, 7]
        loop = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(loop.returncode, 0, loop.stderr)
        told = json.loads(loop.stdout)
        self.assertEqual(told["steps"], frames // 3)
        return told

    def test_games_with_itself_equal_a_plain_loop(self):
        told = self.equals_a_plain_loop("tic_tac_toe", "self")
        self.assertEqual(told["turns"], [0, 1])
        self.assertGreater(told["rewards"]["1.0"], 20)
        self.assertNotIn("-1.0", told["rewards"])  # who loses is not who moves
        self.assertGreater(self.equals_a_plain_loop("connect_four(rows=5,columns=4)", "self")["ends"], 10)
        self.assertGreater(self.equals_a_plain_loop("kuhn_poker", "self", observation="information_state")["chance"], 200)

    def test_games_against_random_players_equal_a_plain_loop(self):
        told = self.equals_a_plain_loop("tic_tac_toe", "random")
        self.assertEqual(told["turns"], [0, 1])
        self.assertTrue({"1.0", "-1.0", "0.0"} <= set(told["rewards"]))
        self.assertEqual(self.equals_a_plain_loop("tic_tac_toe", "random", player=1)["turns"], [1])
        self.assertGreater(self.equals_a_plain_loop("leduc_poker", "random")["chance"], 200)
        self.assertGreater(self.equals_a_plain_loop("kuhn_poker(players=3)", "random")["ends"], 200)

    def test_chance_simultaneous_moves_and_rewards_on_the_way_equal_a_plain_loop(self):
        self.assertGreater(self.equals_a_plain_loop("backgammon", "random")["chance"], 600)
        self.assertGreater(self.equals_a_plain_loop("goofspiel(num_cards=4)", "random")["ends"], 50)
        self.assertIn("4.0", self.equals_a_plain_loop("2048", "random")["rewards"])

    def test_the_columns_are_those_of_our_own_game_with_turns(self):
        said = self.tenon("explain", self.manifest(game="tic_tac_toe"))
        for line in (r"observation +float32 +\[3, 3, 3\]", r"action_mask +bool +\[9\]", r"turn +int64 +", r"action +int64 +"):
            self.assertRegex(said, "(?m)^" + line)

    def test_a_move_that_is_not_legal_is_refused(self):
        blind = '\ntransforms = [{ plugin = "standard/exclude_columns", columns = ["action_mask"] }]'
        said = self.tenon("run", self.manifest(game="tic_tac_toe", after=blind), "--quiet", "--out", "out", "--set",
                          "run.total_frames=2000", code=3)
        self.assertRegex(said, r"the move \d is not legal, which the action_mask forbids")

    def test_a_tree_search_plays_by_copies_of_the_game(self):
        manifest = self.manifest(game="tic_tac_toe", opponent="random", lanes=1, seed_offset=3)
        manifest.write_text(manifest.read_text().replace('"random/random"', '"plan/mcts"\nsimulations = 12'))
        self.tenon("run", manifest, "--out", "search", "--quiet", "--set", "log.every_frames=20")
        last = json.loads((self.folder / "search" / "metrics.jsonl").read_text().splitlines()[-1])
        self.assertGreater(last["rollout/ep_rew_mean"], 0.7)  # random moves get 0.03

    def test_a_resumed_run_equals_one_that_never_stopped(self):
        manifest = self.manifest(game="backgammon", lanes=4)
        self.tenon("run", manifest, "--out", "whole", "--quiet", "--set", "run.total_frames=256")
        self.tenon("run", manifest, "--out", "half", "--quiet", "--set", "run.total_frames=128")
        self.tenon("run", "--resume", "half", "--quiet", "--set", "run.total_frames=256")
        whole, half = (self.folder / run / "checkpoints/256/frames.safetensors" for run in ("whole", "half"))
        self.assertEqual(whole.read_bytes(), half.read_bytes())

    def test_what_cannot_be_played_is_said(self):
        self.refused("OpenSpiel has no game 'conect_four'; did you mean 'connect_four'?", game="conect_four(rows=6)")
        self.refused("OpenSpiel cannot make the game 'connect_four(row=6)': Unknown parameter 'row'. Available parameters "
                     "are: columns,", game="connect_four(row=6)")
        self.refused("'hearts' has no observation tensor: set observation = \"information_state\"", game="hearts")
        self.refused("'coin_game' has no observation tensor, nor another one", game="coin_game", opponent="random")
        self.refused("'matrix_pd' cannot be played with opponent = \"self\"", game="matrix_pd", opponent="self")
        self.refused("'tic_tac_toe' has the players 0 to 1, and no player 2", game="tic_tac_toe", player=2)
        self.refused("OpenSpiel draws the chance of 'tarok' by itself, so that no seed determines it", game="tarok")
        self.refused("'mfg_garnet' is a mean-field game", game="mfg_garnet")

    def test_a_python_without_open_spiel_gets_the_line_that_brings_it(self):
        (self.folder / "sitecustomize.py").write_text("import sys\nsys.modules['pyspiel'] = None\n")
        self.refused(f"needs the module pyspiel, which {PYTHON} does not find: install it with '{PYTHON} -m pip install "
                     "open_spiel'", game="tic_tac_toe", PYTHONPATH=str(self.folder))

    def test_the_manifest_learns(self):
        said = self.tenon("run", MANIFEST, "--out", "run", "--quiet", "--json", "--set", f'env.python="{PYTHON}"')
        self.assertGreater(json.loads(said.splitlines()[-1])["best_return_mean"], 0.6)


if __name__ == "__main__":
    main("pyspiel")
