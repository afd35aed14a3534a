// SPDX-License-Identifier: Apache-2.0
// Tic-tac-toe for one policy, which plays against itself, a random opponent or a perfect one.
//
// Turns. The player who is asked for the action at time t is the mover of t. `observation` (the mover's squares, then
// the other's), `action_mask` (the free squares) and the step's reward are from the mover's view: 1 for a win, -1 for a
// loss, 0 for a draw and for every other step. `turn` is the mover: 0 crosses, who begin, 1 noughts.
//
// Against an opponent the mover is always the policy: its step is its own move and the reply, and `turn` is constant
// during an episode. With opponent = "self" a step is one move and `turn` changes every step, so `next.observation`
// belongs to the other player. Its value has the opposite sign for the mover of t, and a loss never appears as a reward
// of -1, only as the other player's 1. An objective that bootstraps must change the sign of the next value where
// next.turn differs from turn.
#pragma once

#include <algorithm>
#include <bit>

#include "cells_drawing.hpp"
#include "tenon/env.hpp"
#include "tictactoe_solution.hpp"

struct TicTacToe {
    std::string opponent, first;
    const TicTacToeSolution* solution = nullptr;  // of a perfect opponent
    std::array<unsigned, 2> squares;              // of crosses and of noughts
    std::size_t turn;                             // who moves next: 0 crosses, 1 noughts
    std::size_t mover;                            // who is asked for an action

    static constexpr auto options =
        std::tuple{tenon::option<&TicTacToe::opponent>("opponent", "random", "self|random|perfect",
                                                       "who plays the other side: the policy too, a random player, or "
                                                       "minimax with random choice among its best moves"),
                   tenon::option<&TicTacToe::first>("first", "random", "policy|opponent|random",
                                                    "who moves first, unless the opponent is self")};

    void setup() {
        if (opponent == "perfect") {
            static const TicTacToeSolution kSolution;
            solution = &kSolution;
        }
    }

    static tenon::EnvSpec spec() {
        return {{tenon::bounded("observation", {18}, 0, 1), tenon::binary("action_mask", {9}),
                 tenon::categorical("turn", 2)},
                {tenon::categorical("action", 9)},
                tenon::bounded("reward", {}, -1, 1)};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        squares = {};
        turn = mover = 0;
        if (opponent != "self" && (first == "opponent" || (first == "random" && rng.chance(0.5)))) {
            mover = 1;
            answer(rng);
        }
        show(row);
    }

    tenon::StepResult step(tenon::Rng& rng, std::int64_t action, const tenon::EnvRow& row) {
        if ((free() >> action & 1U) == 0) {
            throw tenon::InvalidArgument("square " + std::to_string(action) +
                                         " is taken, which the action_mask forbids");
        }
        const std::size_t me = mover;
        move(1U << action);
        if (opponent == "self") {
            mover = turn;
        } else if (!over()) {
            answer(rng);
        }
        show(row);
        const double reward = has_line(squares[me]) ? 1.0 : has_line(squares[1 - me]) ? -1.0 : 0.0;
        return {.reward = reward, .terminated = over()};
    }

    static tenon::PictureSize picture() { return size_of_cells(3, 3); }
    void draw(tenon::Picture& out) const {
        show_cells(3, 3, out);
        for (std::int64_t square = 0; square < 9; ++square) {
            const std::int64_t row = square / 3, column = square % 3;
            draw_cell(row, column, {230, 230, 230}, out);
            if ((squares[0] >> square & 1U) != 0) {
                const auto x = static_cast<double>(column) + 0.5, y = static_cast<double>(-row) - 0.5;
                out.line({x - 0.25, y - 0.25}, {x + 0.25, y + 0.25}, 0.1, {40, 90, 180});
                out.line({x - 0.25, y + 0.25}, {x + 0.25, y - 0.25}, 0.1, {40, 90, 180});
            } else if ((squares[1] >> square & 1U) != 0) {
                draw_token(row, column, {200, 90, 40}, out);
            }
        }
    }

    void state(tenon::Archive& archive) { archive(squares, turn, mover); }

private:
    [[nodiscard]] unsigned free() const { return kAllSquares & ~(squares[0] | squares[1]); }
    [[nodiscard]] bool over() const { return has_line(squares[0]) || has_line(squares[1]) || free() == 0; }

    void move(unsigned square) {
        squares[turn] |= square;
        turn = 1 - turn;
    }

    // Chooses randomly among equally good squares.
    void answer(tenon::Rng& rng) {
        unsigned choices = solution != nullptr ? solution->best(squares[turn], squares[1 - turn]) : free();
        for (std::uint64_t skip = rng.below(static_cast<std::uint64_t>(std::popcount(choices))); skip > 0; --skip) {
            choices &= choices - 1;
        }
        move(choices & ~(choices - 1));
    }

    void show(const tenon::EnvRow& row) const {
        for (std::size_t square = 0; square < 9; ++square) {
            row.observation<float>(0)[square] = static_cast<float>(squares[mover] >> square & 1U);
            row.observation<float>(0)[9 + square] = static_cast<float>(squares[1 - mover] >> square & 1U);
            row.observation<bool>(1)[square] = (free() >> square & 1U) != 0;
        }
        row.observation<std::int64_t>(2)[0] = static_cast<std::int64_t>(mover);
    }
};
