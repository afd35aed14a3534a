// SPDX-License-Identifier: Apache-2.0
// Random streams: one key for every named consumer of a run.
#pragma once

#include <cstdint>
#include <string_view>

#include "tenon/abi/random.h"

namespace tenon {

// The run's seed, and as stream the name's FNV-1a hash after the finaliser of splitmix64. Checkpoints and golden files
// depend on it, so it never changes. Names are paths, "env", "policy.actor/init", so that streams do not overlap by
// accident.
tn_key make_key(std::uint64_t seed, std::string_view name);

// The seed of a lane's generator, from key, lane number and round.
inline std::uint64_t lane_seed(tn_key key, std::uint32_t lane, std::uint32_t round) {
    const tn_random_block block = tn_philox(key, (std::uint64_t{round} << 32) | lane);
    return (std::uint64_t{block.word[0]} << 32) | block.word[1];
}

}  // namespace tenon
