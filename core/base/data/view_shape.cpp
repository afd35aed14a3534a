// SPDX-License-Identifier: Apache-2.0
#include "base/data/view_shape.hpp"

namespace tenon {

View permuted(const View& view, std::span<const std::uint32_t> order) {
    View out = view;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        out.shape.extent[i] = view.shape[order[i]];
        out.strides[i] = view.strides[order[i]];
    }
    return out;
}

View unsqueezed(const View& view, std::uint32_t dim) {
    View out = view;
    out.shape = join(join(head(view.shape, dim), Shape{1}), tail(view.shape, dim));
    for (std::uint32_t i = view.shape.rank; i > dim; --i) {
        out.strides[i] = view.strides[i - 1];
    }
    out.strides[dim] = 1;
    return out;
}

View stretched(const View& view, std::uint32_t dim, std::int64_t n) {
    assert(view.shape[dim] == 1);
    View out = view;
    out.shape.extent[dim] = n;
    out.strides[dim] = 0;
    return out;
}

View nth_row(const View& view, const Shape& leading, std::int64_t row) {
    View out = view;
    std::int64_t rows = leading.elements();
    for (const std::int64_t extent : leading.extents()) {
        rows /= extent;
        out = out.index(0, row / rows);
        row %= rows;
    }
    return out;
}

}  // namespace tenon
