// SPDX-License-Identifier: Apache-2.0
// The seed of a lane's generator, from key, lane number and round.
#pragma once

#include <cstdint>

#include "tenon/abi/random.h"

namespace tenon {

inline std::uint64_t lane_seed(tn_key key, std::uint32_t lane, std::uint32_t round) {
    const tn_random_block block = tn_philox(key, (std::uint64_t{round} << 32) | lane);
    return (std::uint64_t{block.word[0]} << 32) | block.word[1];
}

}  // namespace tenon
