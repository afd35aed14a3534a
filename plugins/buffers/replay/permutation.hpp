// SPDX-License-Identifier: Apache-2.0
// A random order of the numbers below n that needs no memory: the place of each is computed by a Feistel network over
// the next power of four, and a number outside of the range is passed on until it is inside (cycle walking; Black and
// Rogaway 2002).
#pragma once

#include <bit>
#include <cstdint>

struct Permutation {
    std::uint64_t size = 0;
    std::uint64_t key = 0;

    // The number at a place, both below size.
    [[nodiscard]] std::uint64_t operator()(std::uint64_t place) const {
        const unsigned half = size <= 4 ? 1 : (static_cast<unsigned>(std::bit_width(size - 1)) + 1) / 2;
        do {
            place = mixed(place, half);
        } while (place >= size);
        return place;
    }

private:
    [[nodiscard]] std::uint64_t mixed(std::uint64_t number, unsigned half) const {
        const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
        std::uint64_t left = number >> half;
        std::uint64_t right = number & mask;
        const std::uint64_t rounds = half < 6 ? 24 : 6;  // few bits take more rounds to be mixed
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::uint64_t next = left ^ (scrambled(right ^ (key + round * 0x9E3779B97F4A7C15U)) & mask);
            left = right;
            right = next;
        }
        return left << half | right;
    }

    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
    static std::uint64_t scrambled(std::uint64_t x) {
        x = (x ^ x >> 30U) * 0xBF58476D1CE4E5B9U;
        x = (x ^ x >> 27U) * 0x94D049BB133111EBU;
        return x ^ x >> 31U;
    }
};
