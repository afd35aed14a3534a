// SPDX-License-Identifier: Apache-2.0
#include "base/data/view.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace tenon {
namespace {

std::byte* offset(const View& view, std::int64_t elements) {
    return static_cast<std::byte*>(view.data) + elements * static_cast<std::int64_t>(size_of(view.dtype));
}

void copy_from_dim(const View& from, const View& to, std::uint32_t dim, std::int64_t a, std::int64_t b) {
    if (dim == from.shape.rank) {
        std::memcpy(offset(to, b), offset(from, a), size_of(from.dtype));
        return;
    }
    const std::int64_t n = from.shape[dim];
    if (dim + 1 == from.shape.rank && from.strides[dim] == 1 && to.strides[dim] == 1) {
        std::memcpy(offset(to, b), offset(from, a), static_cast<std::size_t>(n) * size_of(from.dtype));
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        copy_from_dim(from, to, dim + 1, a + i * from.strides[dim], b + i * to.strides[dim]);
    }
}

}  // namespace

View View::slice(std::uint32_t dim, std::int64_t first, std::int64_t count) const {
    assert(first >= 0 && count >= 0 && first + count <= shape[dim]);
    View out = *this;
    out.shape.extent[dim] = count;
    out.data = offset(*this, first * strides[dim]);
    return out;
}

View View::index(std::uint32_t dim, std::int64_t at) const {
    assert(at >= 0 && at < shape[dim]);
    View out = *this;
    out.data = offset(*this, at * strides[dim]);
    out.shape = join(head(shape, dim), tail(shape, dim + 1));
    for (std::uint32_t i = dim; i + 1 < shape.rank; ++i) {
        out.strides[i] = strides[i + 1];
    }
    out.strides[shape.rank - 1] = 0;
    return out;
}

View View::repeat(std::int64_t n) const {
    View out = *this;
    out.shape = join(Shape{n}, shape);
    out.strides = {};
    for (std::uint32_t i = 0; i < shape.rank; ++i) {
        out.strides[i + 1] = strides[i];
    }
    return out;
}

std::optional<View> View::reshape(const Shape& to) const {
    if (to.elements() != shape.elements()) {
        return std::nullopt;
    }
    View out = dense(data, dtype, to);
    if (to.elements() == 0 || contiguous()) {
        return out;
    }
    // Compares both shapes from the back in groups with equal products. Within a group the old dimensions must be
    // contiguous.
    std::uint32_t i = shape.rank;
    std::uint32_t j = to.rank;
    while (j > 0) {
        while (i > 0 && shape[i - 1] == 1) {
            --i;
        }
        if (to[j - 1] == 1) {
            out.strides[--j] = 1;
            continue;
        }
        const std::int64_t stride = strides[i - 1];
        std::int64_t had = shape[--i];
        std::int64_t want = to[--j];
        out.strides[j] = stride;
        while (had != want) {
            if (want < had) {
                --j;
                out.strides[j] = stride * want;
                want *= to[j];
            } else {
                --i;
                if (shape[i] != 1 && strides[i] != stride * had) {
                    return std::nullopt;
                }
                had *= shape[i];
            }
        }
    }
    return out;
}

bool View::contiguous() const {
    std::int64_t expected = 1;
    for (std::uint32_t i = shape.rank; i-- > 0;) {
        if (shape[i] == 0) {
            return true;
        }
        if (shape[i] != 1 && strides[i] != expected) {
            return false;
        }
        expected *= shape[i];
    }
    return true;
}

tn_tensor View::tensor() const {
    tn_tensor out{};
    out.struct_size = sizeof out;
    out.dtype = static_cast<std::int32_t>(dtype);
    out.data = data;
    out.rank = shape.rank;
    out.device_type = TN_DEVICE_CPU;
    out.shape = shape.extent.data();
    out.strides = strides.data();
    return out;
}

View view_of(const tn_tensor& tensor) {
    View out{.data = tensor.data,
             .dtype = static_cast<DType>(tensor.dtype),
             .shape = Shape(std::span(tensor.shape, tensor.rank)),
             .strides = {}};
    std::copy_n(tensor.strides, tensor.rank, out.strides.begin());
    return out;
}

View dense(void* data, DType dtype, const Shape& shape) {
    View out{.data = data, .dtype = dtype, .shape = shape, .strides = {}};
    std::int64_t stride = 1;
    for (std::uint32_t i = shape.rank; i-- > 0;) {
        out.strides[i] = stride;
        stride *= shape[i];
    }
    return out;
}

void copy(const View& from, const View& to) {
    assert(from.dtype == to.dtype && from.shape == to.shape);
    if (from.shape.elements() == 0) {
        return;
    }
    if (from.contiguous() && to.contiguous()) {
        std::memcpy(to.data, from.data, from.bytes());
        return;
    }
    copy_from_dim(from, to, 0, 0, 0);
}

}  // namespace tenon
