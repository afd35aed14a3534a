// SPDX-License-Identifier: Apache-2.0
// Sorting along one size of a value.
//
//     const auto [values, indices] = tenon::sort(x);   // ascending; top_k(x, 3): the three largest, the largest first
//
// Gradients flow back to the original positions. take_along(other, indices) puts another value into the same order.
#pragma once

#include <cstdint>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct Sorted {
    Value values;
    Value indices;  // int: the original positions
};

// Along a size, counted from the end. Stable; NaN counts as larger than any number.
inline Sorted sort(In x, std::int64_t axis = -1, bool descending = false) {
    const detail::CalledFrom caller(x.at);
    const Value indices = argsort(x, axis, descending ? 1 : 0);
    return {take_along(x, indices, axis), indices};
}

// The k largest along the last size, in descending order.
inline Sorted top_k(In x, std::int64_t k) {
    const detail::CalledFrom caller(x.at);
    const Value indices = slice(argsort(x, -1, 1), 0, k);
    return {take_along(x, indices), indices};
}

}  // namespace TENON_SDK
}  // namespace tenon
