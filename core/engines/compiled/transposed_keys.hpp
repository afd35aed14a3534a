// SPDX-License-Identifier: Apache-2.0
// Stores the keys that a loop carries and puts in place with the elements of all keys next to each other, as attention
// of one query multiplies them. Otherwise it transposes all keys in each step.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// Whether the buffer of the body, rows that are contiguous, is now stored so: if operations only put rows into it and
// attend to them as keys. Its first value must then be stored so as well (transposed).
bool store_transposed(Listing& body, std::uint32_t buffer);

// The view of rows, as they are stored then.
View transposed(View rows);

// The shape [.., width, keys] of keys [.., keys, width], with space for as many as attention reads together.
std::vector<std::int64_t> padded_keys(std::vector<std::int64_t> shape);

}  // namespace tenon::compiled
