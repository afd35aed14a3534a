// SPDX-License-Identifier: Apache-2.0
#include "experience/env/row_values.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/data/number_text.hpp"
#include "base/simd/finite.hpp"
#include "experience/replay/storage_columns.hpp"

namespace tenon {
namespace {

constexpr std::size_t kMostShown = 8;

std::size_t row_elements(const View& column) {
    std::int64_t elements = 1;
    for (std::uint32_t dim = 2; dim < column.shape.rank; ++dim) {
        elements *= column.shape[dim];
    }
    return static_cast<std::size_t>(elements);
}

bool all_finite(DType dtype, const void* elements, std::size_t count) {
    switch (dtype) {
        case DType::kF32:
            return simd::all_finite(static_cast<const float*>(elements), count);
        case DType::kF64:
            return simd::all_finite(static_cast<const double*>(elements), count);
        default:
            return true;
    }
}

std::string element_text(DType dtype, const void* element) {
    return with_element(dtype, [&](auto zero) -> std::string {
        using T = decltype(zero);
        const T value = *static_cast<const T*>(element);
        if constexpr (std::is_floating_point_v<T>) {
            return number_text(value);
        } else {
            return std::to_string(value);
        }
    });
}

}  // namespace

bool is_finite(const View& column, std::uint32_t slot, std::uint32_t first, std::uint32_t count) {
    return all_finite(column.dtype, row_at(column, slot, first), count * row_elements(column));
}

std::string not_finite(const View& column, std::uint32_t slot, std::uint32_t lane) {
    const std::size_t elements = row_elements(column);
    const auto* const row = static_cast<const unsigned char*>(row_at(column, slot, lane));
    for (std::size_t i = 0; i < elements; ++i) {
        const void* const element = row + i * size_of(column.dtype);
        if (all_finite(column.dtype, element, 1)) {
            continue;
        }
        const std::string text = element_text(column.dtype, element);
        return elements == 1 ? text : text + " at element " + std::to_string(i);
    }
    return "";
}

std::string row_text(const View& column, std::uint32_t slot, std::uint32_t lane) {
    const std::size_t elements = row_elements(column);
    const auto* const row = static_cast<const unsigned char*>(row_at(column, slot, lane));
    std::string out;
    for (std::size_t i = 0; i < std::min(elements, kMostShown); ++i) {
        out += (i == 0 ? "" : ", ") + element_text(column.dtype, row + i * size_of(column.dtype));
    }
    return elements == 1 ? out : "[" + out + (elements > kMostShown ? ", ...]" : "]");
}

}  // namespace tenon
