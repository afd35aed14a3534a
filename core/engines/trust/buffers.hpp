// SPDX-License-Identifier: Apache-2.0
// Memory of several values, written and read as doubles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/data/dtype.hpp"
#include "compute/exec/fused_call.hpp"
#include "compute/exec/rows.hpp"

namespace tenon {

class Buffers {
public:
    Buffers(const std::vector<FusedShape>& shapes, DType real) {
        for (const FusedShape& shape : shapes) {
            std::size_t count = 1;
            for (const std::int64_t size : shape.shape) {
                count *= static_cast<std::size_t>(size);
            }
            dtypes_.push_back(stored_as(shape.kind, real));
            sizes_.push_back(count);
            bytes_.emplace_back(count * size_of(dtypes_.back()) + 1);
        }
    }

    [[nodiscard]] std::size_t count() const { return sizes_.size(); }
    [[nodiscard]] std::size_t size(std::size_t i) const { return sizes_[i]; }
    [[nodiscard]] DType dtype(std::size_t i) const { return dtypes_[i]; }
    void* data(std::size_t i) { return bytes_[i].data(); }

    void fill(std::size_t i, const std::vector<double>& values) {
        each(i, [&](auto* at, std::size_t n) { *at = static_cast<std::remove_pointer_t<decltype(at)>>(values[n]); });
    }

    [[nodiscard]] std::vector<std::vector<double>> values() {
        std::vector<std::vector<double>> out(sizes_.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i].resize(sizes_[i]);
            each(i, [&](const auto* at, std::size_t n) { out[i][n] = static_cast<double>(*at); });
        }
        return out;
    }

private:
    template <class F>
    void each(std::size_t i, F f) {
        const auto go = [&](auto* at) {
            for (std::size_t n = 0; n < sizes_[i]; ++n) {
                f(at + n, n);
            }
        };
        switch (dtypes_[i]) {
            case DType::kF64:
                return go(static_cast<double*>(data(i)));
            case DType::kI64:
                return go(static_cast<std::int64_t*>(data(i)));
            case DType::kBool:
                return go(static_cast<bool*>(data(i)));
            default:
                return go(static_cast<float*>(data(i)));
        }
    }

    std::vector<DType> dtypes_;
    std::vector<std::size_t> sizes_;
    std::vector<std::vector<std::byte>> bytes_;
};

}  // namespace tenon
