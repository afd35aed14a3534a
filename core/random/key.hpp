// SPDX-License-Identifier: Apache-2.0
// Who draws which numbers: a key for every named drawer of a run.
#pragma once

#include <cstdint>
#include <string_view>

#include "tenon/abi/random.h"

namespace tenon {

// The run's seed, and as stream the name's FNV-1a hash put through the finalizer of splitmix64. Checkpoints and golden
// files depend on it: it never changes. Names are paths, "env", "policy.actor/init", so that streams never meet by
// chance.
tn_key make_key(std::uint64_t seed, std::string_view name);

}  // namespace tenon
