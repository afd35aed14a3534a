// SPDX-License-Identifier: Apache-2.0
// The places of the elements of a shape, and which elements a thread computes. The number of threads never changes a
// result.
#pragma once

#include <cstdint>
#include <type_traits>

#include "engines/cuda/work.hpp"
#include "tenon/emulated.hpp"

namespace tenon::compiled::device {

// The blocks that compute a work, and the number of this one among them.
struct Blocks {
    unsigned index;
    unsigned count;
};

__device__ inline std::int64_t first_of_thread(Blocks blocks) {
    return static_cast<std::int64_t>(blocks.index) * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t all_threads(Blocks blocks) {
    return static_cast<std::int64_t>(blocks.count) * blockDim.x;
}

#ifdef __CUDACC__
#define TENON_UNROLL _Pragma("unroll")
#define TENON_ROLLED _Pragma("unroll 1")
#define TENON_APART __noinline__
#else
#define TENON_UNROLL
#define TENON_ROLLED
#define TENON_APART
#endif

// A 64-bit division takes many times as long as a 32-bit one, and many times as much memory for instructions. So it is
// a separate function.
__device__ TENON_APART inline std::int64_t large_quotient(std::int64_t number, std::int64_t by) {
    return number / by;
}

// The quotient of numbers that are not negative.
__device__ inline std::int64_t quotient(std::int64_t number, std::int64_t by) {
    return ((number | by) >> 32) == 0 ? static_cast<std::uint32_t>(number) / static_cast<std::uint32_t>(by)
                                      : large_quotient(number, by);
}

// Four floats, which one instruction reads or writes.
struct alignas(16) Four {
    float x[4];
};

// The shared memory of a block for sums. The works of a run use it one after the other.
inline constexpr int kSharedSums = 1024;

__device__ inline float* shared_sums() {
    alignas(Four) __shared__ float sums[kSharedSums];
    return sums;
}

// Quotient and remainder: the row and column of a number in a table with so many columns.
struct Cell {
    std::int64_t row;
    std::int64_t column;
};

__device__ inline Cell cell_of(std::int64_t number, std::int64_t columns) {
    const std::int64_t row = quotient(number, columns);
    return {row, number - row * columns};
}

// Converts as the CPU does: a number that an integer cannot represent becomes the smallest integer. CUDA would take the
// nearest one.
template <class To, class From>
__device__ inline To cast(From x) {
    if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, std::int64_t>) {
        constexpr From kBound = static_cast<From>(0x1p63);
        return x >= -kBound && x < kBound ? static_cast<To>(x) : INT64_MIN;
    } else {
        return static_cast<To>(x);
    }
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
        const std::int64_t whole = quotient(number, size);
        out += (number - whole * size) * strides.along[d];
        number = whole;
    }
    return out;
}

__device__ inline std::int64_t offset_of(const Place& place, std::int64_t number) {
    return offset_of(place.shape, place.strides, 0, place.shape.rank, number);
}

}  // namespace tenon::compiled::device
