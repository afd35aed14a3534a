// SPDX-License-Identifier: Apache-2.0
// Splits a number into a sum of numbers that are as even as possible, the larger ones first: lanes over tasks, episodes
// over lanes.
#pragma once

#include <concepts>
#include <cstddef>
#include <vector>

namespace tenon {

template <std::integral T>
std::vector<T> even_parts(T whole, std::size_t count) {
    const T parts = static_cast<T>(count);
    std::vector<T> out;
    for (T i = 0; i < parts; ++i) {
        out.push_back(static_cast<T>(whole / parts + (i < whole % parts ? 1 : 0)));
    }
    return out;
}

}  // namespace tenon
