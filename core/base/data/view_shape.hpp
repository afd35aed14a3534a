// SPDX-License-Identifier: Apache-2.0
// Views of the same memory with other dimensions, and loops over the elements of a view.
#pragma once

#include <cstdint>
#include <span>

#include "base/data/view.hpp"

namespace tenon {

// Dimension i of the result is dimension order[i] of the view. `order` has each of the first order.size() dimensions
// once; the other ones stay.
View permuted(const View& view, std::span<const std::uint32_t> order);
// The view with a dimension of extent 1 before dimension `dim`.
View unsqueezed(const View& view, std::uint32_t dim);
// The view with extent n in place of a dimension of extent 1: all its indices are the same memory (stride 0).
View stretched(const View& view, std::uint32_t dim, std::int64_t n);

// The row with this number, counted row-major over the view's first dimensions, `leading`.
View nth_row(const View& view, const Shape& leading, std::int64_t row);

// Calls f(T& element) for every element, in the order of indices.
template <class T, class F>
void each_element(const View& view, F&& f, std::uint32_t dim = 0, std::int64_t at = 0) {
    T* const elements = view.as<T>();
    if (dim == view.shape.rank) {
        f(elements[at]);
        return;
    }
    for (std::int64_t i = 0; i < view.shape[dim]; ++i) {
        each_element<T>(view, f, dim + 1, at + i * view.strides[dim]);
    }
}

}  // namespace tenon
