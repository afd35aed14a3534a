// SPDX-License-Identifier: Apache-2.0
// Where the elements of a shape are, and which of them a thread computes. The number of threads never changes a result.
#pragma once

#include <cstdint>

#include "compute/compiled/device/work.hpp"
#include "tenon/emulated.hpp"

namespace tenon::compiled::device {

__device__ inline std::int64_t first_of_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_threads() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// The offset of an element by its number among the dimensions from `first` to `last`.
__device__ inline std::int64_t offset_of(const Shape& shape, const Strides& strides, std::int32_t first,
                                         std::int32_t last, std::int64_t number) {
    std::int64_t out = 0;
    for (std::int32_t d = last; d-- > first;) {
        if (d == first) {
            return out + number * strides.along[d];
        }
        const std::int64_t size = shape.size[d];
        out += number % size * strides.along[d];
        number /= size;
    }
    return out;
}

__device__ inline std::int64_t offset_of(const Place& place, std::int64_t number) {
    return offset_of(place.shape, place.strides, 0, place.shape.rank, number);
}

}  // namespace tenon::compiled::device
