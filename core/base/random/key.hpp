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

}  // namespace tenon
