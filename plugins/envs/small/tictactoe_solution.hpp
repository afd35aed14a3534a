// SPDX-License-Identifier: Apache-2.0
// The solution of tic-tac-toe. A position is two sets of squares, one bit each: those of the player to move, and the
// other's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

inline constexpr unsigned kAllSquares = 0777;

inline bool has_line(unsigned squares) {
    constexpr std::array<unsigned, 8> kLines = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
    return std::ranges::any_of(kLines, [&](unsigned line) { return (squares & line) == line; });
}

// The value of a position for the player to move under perfect play: 1 wins, 0 draws, -1 loses.
class TicTacToeSolution {
public:
    TicTacToeSolution() : values_(std::size_t{1} << 18U, kUnknown) { search(0, 0); }

    // Requires a position that can occur in a game.
    [[nodiscard]] int value(unsigned mine, unsigned theirs) const { return values_[index(mine, theirs)]; }

    // The squares that perfect play may choose.
    [[nodiscard]] unsigned best(unsigned mine, unsigned theirs) const {
        unsigned squares = 0;
        for (unsigned square = 1; square < kAllSquares; square <<= 1U) {
            const bool free = ((mine | theirs) & square) == 0;
            squares |= free && -value(theirs, mine | square) == value(mine, theirs) ? square : 0;
        }
        return squares;
    }

private:
    static constexpr std::int8_t kUnknown = 2;

    static std::size_t index(unsigned mine, unsigned theirs) { return std::size_t{mine} << 9U | theirs; }

    int search(unsigned mine, unsigned theirs) {
        std::int8_t& known = values_[index(mine, theirs)];
        if (known != kUnknown) {
            return known;
        }
        int best = has_line(theirs) ? -1 : (mine | theirs) == kAllSquares ? 0 : -2;
        for (unsigned square = 1; square < kAllSquares && !has_line(theirs); square <<= 1U) {
            if (((mine | theirs) & square) == 0) {
                best = std::max(best, -search(theirs, mine | square));
            }
        }
        known = static_cast<std::int8_t>(best);
        return best;
    }

    std::vector<std::int8_t> values_;
};
