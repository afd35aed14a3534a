// SPDX-License-Identifier: Apache-2.0
// Tiny envs: each has one difficulty of its own, and returns that can be computed by hand.
#include "answers.hpp"
#include "balance.hpp"
#include "bandit.hpp"
#include "bitflip.hpp"
#include "breakout.hpp"
#include "connect_four.hpp"
#include "deepsea.hpp"
#include "falling_ball.hpp"
#include "fork.hpp"
#include "gridworld.hpp"
#include "guess.hpp"
#include "hunt.hpp"
#include "noise.hpp"
#include "reach.hpp"
#include "shifts.hpp"
#include "speaker.hpp"
#include "spread.hpp"
#include "tag.hpp"
#include "tictactoe.hpp"
#include "tmaze.hpp"
#include "twostep.hpp"

TENON_PLUGIN(
    "small", "0.1.0", tenon::env<GridWorld>("GridWorld-v0", "walk to a goal; a mask shows the open directions"),
    tenon::env<BitFlip>("BitFlip-v0", "flip bits until they equal those of a goal"),
    tenon::env<FallingBall>("Catch-v0", "catch a falling ball, seen as an image"),
    tenon::env<Breakout>("Breakout-v0", "break a wall with a ball, as in MinAtar"),
    tenon::env<DeepSea>("DeepSea-v0", "sink through a grid to a treasure that one way in 2^size finds"),
    tenon::env<TMaze>("TMaze-v0", "remember a sign until the end of a corridor"),
    tenon::env<Reach>("Reach-v0", "push a point with inertia to goals that change, seen as numbers or pictures"),
    tenon::env<Noise>("Noise-v0", "endless normal noise, for benchmarks"),
    tenon::env<TwoStep>("TwoStep-v0", "two agents, one reward, two steps: the game of the QMIX paper"),
    tenon::env<Spread>("Spread-v0", "three agents spread over three landmarks without touching each other"),
    tenon::env<Shifts>("Shifts-v0", "four agents that come and go, each with a sign to follow"),
    tenon::env<Hunt>("Hunt-v0", "three predators hunt two prey, which die and come back: two groups"),
    tenon::env<Balance>("Balance-v0", "agents carry a package on a line to a goal, as in VMAS"),
    tenon::env<Tag>("Tag-v0", "three adversaries chase an agent, as in simple_tag: two groups"),
    tenon::env<Speaker>("SpeakerListener-v0", "a speaker tells a listener where to go: two groups"),
    tenon::env<Bandit>("Bandit-v0", "arms with random rewards"),
    tenon::env<Fork>("Fork-v0", "walk past a wall on one of three ways, whose mean is the wall"),
    tenon::policy<ForkGuide>("fork_guide", "walks the three ways of Fork-v0, as demonstrations"),
    tenon::env<Sort>("Sort-v0", "answer a prompt of digits by the same digits in order"),
    tenon::env<Reverse>("Reverse-v0", "answer a prompt of digits by the same digits backwards"),
    tenon::env<Guess>("Guess-v0", "guess a hidden code in two turns, the second one after the first one's marks"),
    tenon::env<TicTacToe>("TicTacToe-v0", "two players in turn: one policy or two, a random or a perfect player"),
    tenon::env<ConnectFour>("ConnectFour-v0", "two players in turn: one policy or two, a random player or a search"));
