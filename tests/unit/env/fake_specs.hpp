// SPDX-License-Identifier: Apache-2.0
// Small parts of plugins written by hand against the ABI.
#pragma once

#include <string>
#include <string_view>

#include "base/data/spec_abi.hpp"
#include "tenon/abi/tensor.h"

namespace tenon::test {

inline Spec spec(std::string key, Role role, DType dtype, const Shape& shape) {
    Spec out;
    out.key = std::move(key);
    out.role = role;
    out.dtype = dtype;
    out.shape = shape;
    return out;
}

inline Spec choice(std::string key, Role role, std::int64_t n) {
    Spec out = spec(std::move(key), role, DType::kI64, {});
    out.kind = SpecKind::kCategorical;
    out.categories = {n};
    return out;
}

// A column as a plugin keeps it from bind on.
template <class T>
struct Bound {
    T* data = nullptr;
    std::int64_t slot_stride = 0;
    std::int64_t lane_stride = 0;

    [[nodiscard]] T* at(std::uint32_t slot, std::uint32_t lane) const {
        return data + slot * slot_stride + lane * lane_stride;
    }
};

template <class T>
Bound<T> bound(const tn_column* const* columns, std::uint64_t count, std::string_view key) {
    for (std::uint64_t i = 0; i < count; ++i) {
        if (std::string_view(columns[i]->key.data, columns[i]->key.size) == key) {
            const tn_tensor& tensor = columns[i]->tensor;
            return {static_cast<T*>(tensor.data), tensor.strides[0], tensor.strides[1]};
        }
    }
    return {};
}

}  // namespace tenon::test
