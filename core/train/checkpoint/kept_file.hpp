// SPDX-License-Identifier: Apache-2.0
// The transitions that a keeper has kept (experience/replay/keeper.hpp), in a checkpoint: a safetensors file in the
// folder of the ring's frames.
//
// KEY             [used, row...]: the slots that were ever used.
// KEY/final       [used, row...]: final observations, where a slot has one; otherwise the bytes have no meaning.
// kept/order      [transitions]: their slots; of whole episodes only.
// kept/length     [episodes], and kept/score: of whole episodes, the oldest first.
// kept/begins     [lanes of the ring]: the step with which the running episode began.
//
// Metadata: "format", "keeping", "capacity", "taken", "seen".
#pragma once

#include <filesystem>

#include "base/error/result.hpp"
#include "experience/replay/keeper.hpp"

namespace tenon {

// The file of a checkpoint.
std::filesystem::path kept_of(const std::filesystem::path& checkpoint);

// Not atomic, like write_safetensors.
Status write_kept(const Keeper& keeper, const std::filesystem::path& file);

// Restores a keeper with the same columns, capacity and rule; on failure it is empty.
Status restore_kept(Keeper& keeper, const std::filesystem::path& file);

}  // namespace tenon
