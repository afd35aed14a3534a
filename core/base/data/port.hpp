// SPDX-License-Identifier: Apache-2.0
// A column in memory as one part of the host hands it to another: dense rows of one shape.
#pragma once

#include <cstddef>
#include <string>

#include "base/data/dtype.hpp"
#include "base/data/shape.hpp"

namespace tenon {

struct Port {
    std::string key;
    DType dtype = DType::kF32;
    Shape row;
};

inline std::size_t row_bytes(const Port& port) {
    return static_cast<std::size_t>(port.row.elements()) * size_of(port.dtype);
}

}  // namespace tenon
