// SPDX-License-Identifier: Apache-2.0
// The transforms of a run that are procedures, for a policy that acts on observations of the caller's own env.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "experience/env/transform_chain.hpp"
#include "run/drive/standing_policy.hpp"

namespace tenon {

// The chain with the statistics of training; nothing if all transforms are graphs, because the policy's program
// contains these. `stream`: the name of their random numbers. A transform that needs rewards is a problem, because a
// caller sends none.
Result<std::optional<TransformChain>> chain_of(StandingPolicy& policy, std::uint32_t seats, const std::string& stream);

// Loads the statistics that the lanes of training have read from the policy's checkpoint.
Status load_statistics(StandingPolicy& policy, TransformChain& chain);

}  // namespace tenon
