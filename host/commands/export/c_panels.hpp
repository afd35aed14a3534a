// SPDX-License-Identifier: Apache-2.0
// Packs the constant right side of a product and its bias in the order in which an exported file reads them, so that
// compilers can vectorise the sums. c_functions.cpp has the code that reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engines/compiled/exported_program.hpp"

namespace tenon {

inline constexpr std::int64_t kPanelColumns = 8;
inline constexpr std::int64_t kWidePanelColumns = 32;

// The number of elements for one batch.
std::int64_t panel_elements(std::int64_t n, std::int64_t k);

// The panels of all batches. The first `whole` rows are ordered by lane: row 0, `lanes`, 2 * `lanes`, .., then row 1,
// .. `side` and `bias` are the memory of the buffers of the product's operands; `bias` may be null.
std::vector<std::byte> panels_of(const compiled::Op& product, const std::byte* side, const std::byte* bias,
                                 std::size_t element_bytes, std::int64_t whole, std::int64_t lanes);

}  // namespace tenon
