// SPDX-License-Identifier: Apache-2.0
// Parameters in safetensors files, one tensor per parameter: "qvalue/0.weight". Its optimiser state is
// "qvalue/0.weight/exp_avg". If acting lags behind learning, "actor/0.weight" has the parameters that act. Those
// that act later are "actor/0.weight/0", "actor/0.weight/1", ..., in the order in which they will act.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"
#include "compute/parameters/network.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {

// The kinds of slabs of a network.
enum class WeightSlab { kLive, kTarget, kReference, kBehaviour, kOptimiser };

// Whether a network has such a slab.
[[nodiscard]] bool has_slab(const Learner& learner, WeightSlab slab);

// Writes these slabs of every network that has them.
Status write_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab,
                     const TensorMetadata& metadata = {});

// Reads these slabs; every parameter must be present with its shape. The gaps remain zero.
Status read_weights(const std::filesystem::path& file, Learner& learner, WeightSlab slab);

// Reads the live parameters of one network from a file, or from the newest checkpoint of a run folder; all
// other versions become copies. `stored_role`: the network's name in the file; empty: its own. The only network of a
// file may have any name.
Status read_weights(Network& network, DType real, const std::filesystem::path& source, const std::string& stored_role);

}  // namespace tenon
