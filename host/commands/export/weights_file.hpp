// SPDX-License-Identifier: Apache-2.0
// The weights of a checkpoint as one safetensors file, whose metadata describe what they belong to.
#pragma once

#include <cstdint>
#include <filesystem>

#include "run/sessions/opened_run.hpp"
#include "train/checkpoint/safetensors.hpp"

namespace tenon {

// The frames of the checkpoint, the component of each policy ("component.actor") and the type and shape of each column
// ("column.observation").
TensorMetadata description_of(const Wiring& wiring, std::int64_t frames);

// Writes the parameters of all networks by network and name, "actor/0.weight", with this description as metadata. Adds
// every problem.
bool export_safetensors(const RunRequest& request, const std::filesystem::path& out, const Notice& notice,
                        Problems& problems);

}  // namespace tenon
