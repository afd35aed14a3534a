// SPDX-License-Identifier: Apache-2.0
// A borrowed view of a column: address, element type, dimensions and strides. Creating one copies nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/data/dtype.hpp"
#include "base/data/shape.hpp"
#include "tenon/abi/tensor.h"

namespace tenon {

struct View {
    void* data = nullptr;
    DType dtype = DType::kF32;
    Shape shape;
    std::array<std::int64_t, kMaxRank> strides{};  // in elements

    // `count` indices from `first` on along a dimension.
    [[nodiscard]] View slice(std::uint32_t dim, std::int64_t first, std::int64_t count) const;
    // Selects one index along a dimension, which is removed: the lane of [slot][lane][...] is index(1, lane).
    [[nodiscard]] View index(std::uint32_t dim, std::int64_t at) const;
    // The same elements in the same order with another shape; nothing if the strides require a copy.
    [[nodiscard]] std::optional<View> reshape(const Shape& to) const;
    // Adds a leading dimension of size n that broadcasts the view (stride 0).
    [[nodiscard]] View repeat(std::int64_t n) const;

    [[nodiscard]] bool contiguous() const;
    [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(shape.elements()) * size_of(dtype); }
    template <class T>
    [[nodiscard]] T* as() const {
        assert(sizeof(T) == size_of(dtype));
        return static_cast<T*>(data);
    }

    // In the form of the ABI; shape and strides point into this view, which must outlive the result.
    [[nodiscard]] tn_tensor tensor() const;
};

View dense(void* data, DType dtype, const Shape& shape);
// The reverse of View::tensor, for a tensor of a known type and a rank of at most kMaxRank.
View view_of(const tn_tensor& tensor);

// Copies between views with the same dtype and shape that do not overlap.
void copy(const View& from, const View& to);

}  // namespace tenon
