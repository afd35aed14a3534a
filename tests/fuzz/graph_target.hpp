// SPDX-License-Identifier: Apache-2.0
// Calls the graph builder through its C surface, as plugins that are made of bytes.
#pragma once

#include <cstdint>
#include <span>

namespace tenon::fuzz {

// The first byte chooses the kind of program. The other bytes, in parts of equal size, say what each function does. A
// graph that the builder accepts is compiled and runs on a few rows.
void graph(std::span<const std::uint8_t> bytes);

}  // namespace tenon::fuzz
