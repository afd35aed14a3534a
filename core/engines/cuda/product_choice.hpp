// SPDX-License-Identifier: Apache-2.0
// Which kernel computes a product.
#pragma once

#include <cstdint>

#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

struct ProductChoice {
    Kernel kernel;
    std::int64_t blocks;
};

// `by_lanes`: the CPU adds its elements in lanes.
ProductChoice choose_product(const ProductWork& work, bool by_lanes, std::int64_t units);

}  // namespace tenon::compiled::device
