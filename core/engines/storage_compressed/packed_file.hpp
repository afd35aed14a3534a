// SPDX-License-Identifier: Apache-2.0
// The compressed columns of a storage (packed_rows.hpp) in a checkpoint: a safetensors file in the
// folder of the file with the other columns. Blocks stay compressed.
//
// KEY/blocks   [bytes]: the blocks, concatenated in the order of slots and then of lanes.
// KEY/about    [blocks, 4]: the first step of each (-1: it is plain), its bytes compressed and plain, and those of a
//              picture.
// KEY/windows  [blocks, 2, slots of a block]: with which picture rows begin, and the rows after them.
// KEY/rows     [steps, lanes, row...]: the plain rows of the newest steps, and KEY/rows/final.
//
// Metadata: "format"; "plain": the first of these steps; "until": the next one that will be compressed.
#pragma once

#include <filesystem>

#include "base/error/result.hpp"
#include "engines/storage_compressed/packed_rows.hpp"
#include "experience/replay/storage.hpp"

namespace tenon {

// The file of a checkpoint.
inline constexpr const char* kPackedFile = "packed.safetensors";

// Not atomic, like write_safetensors. `packed` is behind the storage.
Status write_packed(const Storage& storage, const PackedRows& packed, const std::filesystem::path& file);

// Restores the columns of a storage whose other columns and position have been restored; on failure it is empty.
Status restore_packed(Storage& storage, PackedRows& packed, const std::filesystem::path& file);

}  // namespace tenon
