// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the compiler's views in the form that kernels read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

constexpr std::size_t kFaultBytes = 8;                               // at the start of a block
constexpr std::size_t kPlaceAt = kFaultBytes + sizeof(DrawNumbers);  // the number of a call whose results are kept

inline Strides strides_from(std::span<const std::int64_t> strides) {
    Strides out{};
    std::copy_n(strides.begin(), std::min<std::size_t>(strides.size(), kMostDims), out.along);
    return out;
}

inline Shape shape_from(std::span<const std::int64_t> sizes) {
    Shape out{.rank = static_cast<std::int32_t>(sizes.size()), .size = {}};
    std::copy(sizes.begin(), sizes.end(), out.size);
    return out;
}

inline std::int64_t product_of_sizes(std::span<const std::int64_t> sizes) {
    std::int64_t out = 1;
    for (const std::int64_t size : sizes) {
        out *= size;
    }
    return out;
}

}  // namespace tenon::compiled::device
