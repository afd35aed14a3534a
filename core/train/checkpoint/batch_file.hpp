// SPDX-License-Identifier: Apache-2.0
// A batch as a file that other tools can read: safetensors, with a tensor for each column.
#pragma once

#include <filesystem>

#include "base/data/batch.hpp"

namespace tenon {

// Replaces the file, completely or not at all. Columns with large elements come first, so that all are aligned; the
// metadata "leading" and "keys" have the leading dimensions and the order of the columns.
Status save_batch(const Batch& batch, const std::filesystem::path& file);

// The columns are views of the file, mapped into memory: what is not read is not loaded. Writing to them changes this
// process's memory alone, never the file, which must not be shortened meanwhile. A file without this metadata has the
// leading dimensions that `leading` counts, which all its tensors must share.
Result<Batch> load_batch(const std::filesystem::path& file, std::uint32_t leading = 1);

}  // namespace tenon
