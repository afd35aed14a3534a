// SPDX-License-Identifier: Apache-2.0
// Parameters in safetensors files, one tensor per parameter: "qvalue/0.weight". Its optimiser state is
// "qvalue/0.weight/exp_avg".
#pragma once

#include <filesystem>
#include <string_view>

#include "base/error/result.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// The kinds of slabs of a network.
enum class WeightSlab { kLive, kTarget, kOptimiser };

// Writes these slabs of every network that has them.
Status write_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab);

// Reads them back; every parameter must be present with its shape. The gaps remain zero.
Status read_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab);

// Reads the live parameters of one network from a file, or from the newest checkpoint of a run folder; its target
// becomes a copy.
Status read_weights(Network& network, DType real, const std::filesystem::path& source);

// Initialises the target, if there is one, as a copy of the live parameters.
void copy_to_target(Network& network);

}  // namespace tenon
