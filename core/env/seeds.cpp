// SPDX-License-Identifier: Apache-2.0
#include "env/seeds.hpp"

namespace tenon {

std::vector<std::uint64_t> lane_seeds(tn_key key, std::uint32_t lanes, std::uint32_t round) {
    std::vector<std::uint64_t> out(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        const tn_random_block block = tn_philox(key, (std::uint64_t{round} << 32) | lane);
        out[lane] = (std::uint64_t{block.word[0]} << 32) | block.word[1];
    }
    return out;
}

}  // namespace tenon
