// SPDX-License-Identifier: Apache-2.0
// Connect four (two_players.hpp): seven columns of six cells; a stone falls to the lowest free cell of its column, and
// four in a line win. Cells are observed row by row, the highest row first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "tenon/options.hpp"
#include "two_players.hpp"

struct ConnectFourRules {
    static constexpr std::int64_t kRows = 6, kColumns = 7, kCells = 42, kActions = 7;
    static constexpr const char* kOpponents = "self|random|search|learnt";
    static constexpr const char* kReplies = "policy|random|search";
    static constexpr const char* kPlace = "column";
    static constexpr const char* kFull = "full";

    std::int64_t depth = 4;

    static constexpr auto options = std::tuple{tenon::option<&ConnectFourRules::depth>(
        "depth", 4, "[1,12]", "how many moves the player `search` looks ahead")};

    // A column has seven bits, the lowest cell first; the seventh stays 0, so that no line crosses columns.
    static std::uint64_t stone_of(std::int64_t cell) {
        return std::uint64_t{1} << (cell % kColumns * 7 + (kRows - 1 - cell / kColumns));
    }
    static bool has_line(std::uint64_t stones) {
        return std::ranges::any_of(std::array{1U, 6U, 7U, 8U}, [&](unsigned way) {
            const std::uint64_t pairs = stones & stones >> way;
            return (pairs & pairs >> 2 * way) != 0;
        });
    }
    static std::uint32_t legal(std::uint64_t taken) {
        std::uint32_t out = 0;
        for (std::uint32_t column = 0; column < kColumns; ++column) {
            out |= (taken >> (7 * column + 5) & 1U) == 0 ? 1U << column : 0;
        }
        return out;
    }
    static std::uint64_t dropped(std::int64_t column, std::uint64_t taken) {
        const std::uint64_t cells = std::uint64_t{077} << 7 * column;
        return (taken + (std::uint64_t{1} << 7 * column)) & cells;
    }

    // The columns that a search of `depth` moves cannot tell from the best one: it knows wins and losses alone, prefers
    // early wins and late losses, and takes all other positions for equal.
    [[nodiscard]] std::uint32_t best(std::uint64_t mine, std::uint64_t theirs) const {
        std::uint32_t out = 0;
        std::int64_t most = -kCells;
        for (std::int64_t column = 0; column < kColumns; ++column) {
            if ((legal(mine | theirs) >> column & 1U) == 0) {
                continue;
            }
            const std::uint64_t then = mine | dropped(column, mine | theirs);
            const std::int64_t value = has_line(then) ? depth : -search(theirs, then, depth - 1, -kCells, kCells);
            out = value > most ? 1U << column : value == most ? out | 1U << column : out;
            most = std::max(most, value);
        }
        return out;
    }

private:
    // The value for the player to move, by alpha-beta search: moves that are left at the end of the game, for a win.
    static std::int64_t search(std::uint64_t mine, std::uint64_t theirs, std::int64_t left, std::int64_t low,
                               std::int64_t high) {
        const std::uint32_t moves = legal(mine | theirs);
        if (left == 0 || moves == 0) {
            return 0;
        }
        for (std::int64_t column = 0; column < kColumns; ++column) {
            if ((moves >> column & 1U) != 0 && has_line(mine | dropped(column, mine | theirs))) {
                return left;
            }
        }
        std::int64_t out = -kCells;
        for (std::int64_t column = 0; column < kColumns && low < high; ++column) {
            if ((moves >> column & 1U) != 0) {
                out = std::max(out, -search(theirs, mine | dropped(column, mine | theirs), left - 1, -high, -low));
                low = std::max(low, out);
            }
        }
        return out;
    }
};

using ConnectFour = TwoPlayers<ConnectFourRules>;
