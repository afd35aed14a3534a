// SPDX-License-Identifier: Apache-2.0
// Tic-tac-toe (two_players.hpp). Moves are squares, row by row; crosses begin.
#pragma once

#include <cstdint>
#include <tuple>

#include "tictactoe_solution.hpp"
#include "two_players.hpp"

struct TicTacToeRules {
    static constexpr std::int64_t kRows = 3, kColumns = 3, kCells = 9, kActions = 9;
    static constexpr const char* kOpponents = "self|random|perfect|learnt";
    static constexpr const char* kReplies = "policy|random|perfect";
    static constexpr const char* kPlace = "square";
    static constexpr const char* kFull = "taken";
    static constexpr std::tuple<> options{};

    static std::uint64_t stone_of(std::int64_t cell) { return std::uint64_t{1} << cell; }
    static bool has_line(std::uint64_t stones) { return ::has_line(static_cast<unsigned>(stones)); }
    static std::uint32_t legal(std::uint64_t taken) { return kAllSquares & ~static_cast<unsigned>(taken); }
    static std::uint64_t dropped(std::int64_t action, std::uint64_t /*taken*/) { return stone_of(action); }

    // Minimax.
    static std::uint32_t best(std::uint64_t mine, std::uint64_t theirs) {
        static const TicTacToeSolution kSolution;
        return kSolution.best(static_cast<unsigned>(mine), static_cast<unsigned>(theirs));
    }
};

using TicTacToe = TwoPlayers<TicTacToeRules>;
