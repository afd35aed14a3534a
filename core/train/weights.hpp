// SPDX-License-Identifier: Apache-2.0
// Parameters in safetensors files, one tensor a parameter: "qvalue/0.weight"; what an optimiser remembers of it is
// "qvalue/0.weight/exp_avg".
#pragma once

#include <filesystem>
#include <string_view>

#include "error/result.hpp"
#include "learn/network.hpp"

namespace tenon {

// Which of a network's slabs.
enum class WeightSlab { kLive, kTarget, kOptimiser };

// Writes these slabs of every network that has them.
Status write_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab);

// Reads them back; every parameter must be there with its shape. Gaps stay zero.
Status read_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab);

// The live parameters of one network from a file, or from the newest checkpoint of a run folder; its target begins as
// their copy.
Status read_weights(Network& network, DType real, const std::filesystem::path& source);

// The target as it is at the beginning of a run: where there is one, a copy of the live parameters.
void copy_to_target(Network& network);

}  // namespace tenon
