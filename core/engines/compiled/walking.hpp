// SPDX-License-Identifier: Apache-2.0
// Iterates over the elements of several views with the same shape and different strides.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "compute/graph/limits.hpp"
#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

inline constexpr std::size_t kMostDims = graph::kMostDimensions + 4;  // operations add some of their own

using Numbers = std::span<const std::int64_t>;

// The position of one view during the iteration.
struct Walk {
    std::int64_t offset = 0;
    Numbers strides;
};

inline Walk walk(const View& view) {
    return {view.offset, view.strides};
}

// Calls f(offset in each view) for every element of a shape.
template <std::size_t kWalks, class F>
void each_place(Numbers shape, const std::array<Walk, kWalks>& walks, F f) {
    std::array<std::int64_t, kWalks> at{};
    for (std::size_t v = 0; v < kWalks; ++v) {
        at[v] = walks[v].offset;
    }
    if (std::ranges::find(shape, 0) != shape.end()) {
        return;
    }
    std::array<std::int64_t, kMostDims> index{};
    while (true) {
        f(at);
        std::size_t d = shape.size();
        while (d > 0) {
            --d;
            for (std::size_t v = 0; v < kWalks; ++v) {
                at[v] += walks[v].strides[d];
            }
            if (++index[d] < shape[d]) {
                break;
            }
            for (std::size_t v = 0; v < kWalks; ++v) {
                at[v] -= walks[v].strides[d] * shape[d];
            }
            index[d] = 0;
            if (d == 0) {
                return;
            }
        }
        if (shape.empty()) {
            return;
        }
    }
}

template <class T>
T* at(const Memory& memory, const View& view) {
    return static_cast<T*>(memory.bases[view.buffer]);
}

}  // namespace tenon::compiled
