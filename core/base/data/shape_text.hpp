// SPDX-License-Identifier: Apache-2.0
// Sizes in messages: "[4, 3]", "[]" for a scalar.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error/listed.hpp"

namespace tenon {

inline std::string shape_text(std::span<const std::int64_t> sizes) {
    return "[" + listed(sizes, [](std::int64_t size) { return std::to_string(size); }) + "]";
}

}  // namespace tenon
