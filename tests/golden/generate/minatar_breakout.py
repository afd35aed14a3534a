# SPDX-License-Identifier: Apache-2.0
"""Reference games for plugins/envs/small: Breakout of the package MinAtar, step by step.

Made with MinAtar 1.0.15 and numpy 2.4.6. Command, from the root of the repository:
    python tests/golden/generate/minatar_breakout.py plugins/envs/small/golden/breakout.txt
"""

import copy
import sys
from importlib.metadata import version

import numpy
from minatar import Environment

HEADER = f"""# games of Breakout of MinAtar {version("MinAtar")} without sticky actions, numpy {numpy.__version__}
# made by: python tests/golden/generate/minatar_breakout.py plugins/envs/small/golden/breakout.txt
# start: column of the ball
# other lines: action (0 stay, 1 left, 2 right), reward, terminated, column of the paddle, row and column of the ball, row and
# column of the trail, bricks in hexadecimal: bit 10 i + j is that of row i + 1 and column j"""
PADDLE, BALL, TRAIL, BRICK = range(4)


def cell(state, channel):
    (found,) = numpy.argwhere(state[:, :, channel])
    return [int(place) for place in found]


def line(state):
    row, paddle = cell(state, PADDLE)
    assert row == 9 and not state[[0, 4, 5, 6, 7, 8, 9], :, BRICK].any()
    bricks = sum(1 << int(i) for i in numpy.flatnonzero(state[1:4, :, BRICK]))
    return " ".join(map(str, [paddle, *cell(state, BALL), *cell(state, TRAIL)])) + f" {bricks:x}"


def landing(env):
    """The last two columns of the ball if there were no paddle."""
    game = copy.deepcopy(env.env)
    game.pos = -1
    while not game.act(0)[1]:
        game.pos = -1
    return game.last_x, game.ball_x


def play(out, seed, skill, steps):
    """One game, by a player who with this probability goes to where the ball comes down, and else anywhere."""
    env = Environment("breakout", sticky_action_prob=0.0)
    env.seed(seed)
    env.reset()
    choices, which = env.minimal_action_set(), 0
    generator = numpy.random.default_rng(seed)
    print("start", cell(env.state(), BALL)[1], line(env.state()), file=out)
    for _ in range(steps):
        _, paddle = cell(env.state(), PADDLE)
        if cell(env.state(), BALL)[0] == 8:
            which = int(generator.integers(2))
        aim = landing(env)[which]
        follow = 0 if aim == paddle else 1 if aim < paddle else 2
        action = follow if generator.uniform() < skill else int(generator.integers(3))
        reward, over = env.act(choices[action])
        print(action, int(reward), int(over), line(env.state()), file=out)
        if over:
            return


with open(sys.argv[1], "w", encoding="utf-8") as file:
    print(HEADER, file=file)
    for number in range(20):
        play(file, number, 0.0, 1000)
    for number in range(20, 30):
        play(file, number, 0.8, 200)
    play(file, 30, 1.0, 1200)
