// SPDX-License-Identifier: Apache-2.0
#include "experience/env/seeds.hpp"

#include "base/random/key.hpp"

namespace tenon {

std::vector<std::uint64_t> lane_seeds(tn_key key, std::uint32_t lanes, std::uint32_t round, std::uint32_t first) {
    std::vector<std::uint64_t> out(lanes);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        out[lane] = lane_seed(key, first + lane, round);
    }
    return out;
}

}  // namespace tenon
