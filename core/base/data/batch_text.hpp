// SPDX-License-Identifier: Apache-2.0
// Texts in a batch. A text column is a branch of two columns, so that slicing, stacking and saving need no rule of
// their own: KEY.bytes, uint8 [leading][width], and KEY.length, int32 [leading].
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/data/batch.hpp"

namespace tenon {

// Adds the branch, with one text per row, row-major. width: the bytes of the column; 0: as many as the longest text
// has. A text that is longer is refused.
Status add_texts(Batch& batch, std::string_view key, std::span<const std::string_view> texts, std::int64_t width = 0);

// The text of a row, counted row-major.
Result<std::string> text_at(const Batch& batch, std::string_view key, std::int64_t row);

}  // namespace tenon
