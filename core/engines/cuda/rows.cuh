// SPDX-License-Identifier: Apache-2.0
// Operations along the last size: the largest element, elements by their index, sorting. Each row has one thread.
#pragma once

#include <cstdint>

#include "engines/cuda/places.cuh"

namespace tenon::compiled::device {

struct RowPlace {
    std::int64_t x;
    std::int64_t index;
    std::int64_t out;
};

__device__ inline RowPlace place_of(const RowsWork& work, std::int64_t row) {
    return {offset_of(work.shape, work.x_strides, 0, work.shape.rank, row),
            offset_of(work.shape, work.index_strides, 0, work.shape.rank, row),
            offset_of(work.shape, work.out_strides, 0, work.shape.rank, row)};
}

// The nearest valid index.
__device__ inline std::int64_t valid(const RowsWork& work, std::int64_t index) {
    const std::int64_t out = index < 0 ? 0 : index >= work.n ? work.n - 1 : index;
    if (out != index) {
        atomicCAS(work.fault, 0U, 1U);
    }
    return out;
}

template <class T>
__device__ inline void pick(const RowsWork& work, const RowPlace& place) {
    const std::int64_t i = valid(work, work.index[place.index]);
    static_cast<T*>(work.out)[place.out] = static_cast<const T*>(work.x)[place.x + i * work.x_step];
}

// Whether a comes before b. NaN is last, and first in descending order.
__device__ inline bool is_before(float a, float b, bool descending) {
    return descending ? a > b || (a != a && b == b) : a < b || (b != b && a == a);
}

// The number of elements that come before element i; of equal elements the first one does.
__device__ inline std::int64_t rank_of(const float* x, const RowsWork& work, std::int64_t i, bool descending) {
    const float own = x[i * work.x_step];
    std::int64_t before = 0;
    for (std::int64_t j = 0; j < work.n; ++j) {
        const float other = x[j * work.x_step];
        before += is_before(other, own, descending) || (!is_before(own, other, descending) && j < i) ? 1 : 0;
    }
    return before;
}

__device__ inline void argmax(const RowsWork& work, Blocks blocks) {
    for (std::int64_t row = first_of_thread(blocks); row < work.rows; row += all_threads(blocks)) {
        const RowPlace place = place_of(work, row);
        const float* x = static_cast<const float*>(work.x) + place.x;
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < work.n; ++i) {
            const float now = x[best * work.x_step];
            const float next = x[i * work.x_step];
            best = now == now && (next != next || next > now) ? i : best;
        }
        static_cast<std::int64_t*>(work.out)[place.out] = best;
    }
}

__device__ inline void gather(const RowsWork& work, Blocks blocks) {
    for (std::int64_t row = first_of_thread(blocks); row < work.rows; row += all_threads(blocks)) {
        const RowPlace place = place_of(work, row);
        if (work.bytes == 4) {
            pick<std::uint32_t>(work, place);
        } else if (work.bytes == 8) {
            pick<std::uint64_t>(work, place);
        } else {
            pick<std::uint8_t>(work, place);
        }
    }
}

__device__ inline void put_along(const RowsWork& work, Blocks blocks) {
    for (std::int64_t row = first_of_thread(blocks); row < work.rows; row += all_threads(blocks)) {
        const RowPlace place = place_of(work, row);
        float* out = static_cast<float*>(work.out) + place.out;
        for (std::int64_t i = 0; i < work.n; ++i) {
            out[i] = 0;
        }
        for (std::int64_t j = 0; j < work.given; ++j) {
            out[valid(work, work.index[place.index + j * work.index_step])] +=
                static_cast<const float*>(work.x)[place.x + j * work.x_step];
        }
    }
}

template <class T>
__device__ inline void put_one(const RowsWork& work, const RowPlace& place) {
    const std::int64_t i = valid(work, work.index[place.index]);
    static_cast<T*>(work.out)[place.out + i * work.out_step] = static_cast<const T*>(work.x)[place.x];
}

__device__ inline void put_row(const RowsWork& work, Blocks blocks) {
    for (std::int64_t row = first_of_thread(blocks); row < work.rows; row += all_threads(blocks)) {
        const RowPlace place = place_of(work, row);
        if (work.bytes == 4) {
            put_one<std::uint32_t>(work, place);
        } else if (work.bytes == 8) {
            put_one<std::uint64_t>(work, place);
        } else {
            put_one<std::uint8_t>(work, place);
        }
    }
}

__device__ inline void copy_bits(const RowsWork& work, Blocks blocks) {
    for (std::int64_t row = first_of_thread(blocks); row < work.rows; row += all_threads(blocks)) {
        static_cast<std::uint64_t*>(work.out)[row] = static_cast<const std::uint64_t*>(work.x)[row];
    }
}

// Sorts by counting, for each element, the elements that come before it.
__device__ inline void argsort(const RowsWork& work, Blocks blocks) {
    for (std::int64_t at = first_of_thread(blocks); at < work.rows * work.n; at += all_threads(blocks)) {
        const auto [row, i] = cell_of(at, work.n);
        const RowPlace place = place_of(work, row);
        const float* x = static_cast<const float*>(work.x) + place.x;
        const std::int64_t before = rank_of(x, work, i, work.number != 0);
        static_cast<std::int64_t*>(work.out)[place.out + before] = i;
    }
}

// The members that have one of the `number` smallest values at a place. Of equal values the first wins; NaN is last.
__device__ inline void least_members(const RowsWork& work, Blocks blocks) {
    for (std::int64_t at = first_of_thread(blocks); at < work.rows * work.n; at += all_threads(blocks)) {
        const auto [row, i] = cell_of(at, work.n);
        const RowPlace place = place_of(work, row);
        const float* x = static_cast<const float*>(work.x) + place.x;
        const std::int64_t before = rank_of(x, work, i, false);
        static_cast<std::uint8_t*>(work.out)[place.out + i * work.out_step] = before < work.number ? 1 : 0;
    }
}

}  // namespace tenon::compiled::device
