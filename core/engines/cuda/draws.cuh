// SPDX-License-Identifier: Apache-2.0
// Random nodes: the same bits as graph/draw.hpp, one thread for each number.
#pragma once

#include <cmath>
#include <cstdint>

#include "engines/cuda/one_number.cuh"
#include "engines/cuda/places.cuh"
#include "tenon/device_random.hpp"

namespace tenon::compiled::device {

// The finalizer of splitmix64.
__device__ inline std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

__device__ inline float uniform_at(tn_key key, std::uint64_t element) {
    return (static_cast<float>(philox(key, element).word[0] >> 9U) + 0.5F) * 0x1p-23F;
}

struct Root {
    __device__ double operator()(double x) const { return sqrt(x); }
};

__device__ inline float normal_at(tn_key key, std::uint64_t element) {
    const tn_random_block block = philox(key, element / 2);
    const auto pair =
        simd::one_normal::pair_of<double>(std::uint64_t{block.word[0]}, std::uint64_t{block.word[1]},
                                          std::uint64_t{block.word[2]}, std::uint64_t{block.word[3]}, Root());
    return static_cast<float>(element % 2 == 0 ? pair.even : pair.odd);
}

__device__ inline void draw(const DrawWork& work, Blocks blocks) {
    const std::uint64_t each = work.rows * work.width;
    for (std::int64_t i = first_of_thread(blocks); i < work.count; i += all_threads(blocks)) {
        const Cell drawn = cell_of(i, static_cast<std::int64_t>(each));
        const Cell part = cell_of(drawn.row, static_cast<std::int64_t>(work.steps));  // the member and the step
        const tn_key key{work.seed, work.stream ^ mixed(static_cast<std::uint64_t>(part.row) << 32U |
                                                        static_cast<std::uint64_t>(part.column))};
        const std::uint64_t first =
            work.numbers->counter << 32U | (work.by_row != 0 ? work.numbers->first_row * work.width : 0);
        const std::uint64_t element = first + static_cast<std::uint64_t>(drawn.column);
        work.out[i] = work.normal != 0 ? normal_at(key, element) : uniform_at(key, element);
    }
}

}  // namespace tenon::compiled::device
