// SPDX-License-Identifier: Apache-2.0
// The dimensions of a column. The maximal rank is fixed, so that shapes need no heap memory.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tenon {

inline constexpr std::uint32_t kMaxRank = 12;

struct Shape {
    std::array<std::int64_t, kMaxRank> extent{};  // zero from rank on, so that shapes can be compared member by member
    std::uint32_t rank = 0;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
    explicit Shape(std::span<const std::int64_t> extents);

    std::int64_t operator[](std::uint32_t dim) const {
        assert(dim < rank);
        return extent[dim];
    }
    [[nodiscard]] std::int64_t elements() const;  // 1 for a scalar
    [[nodiscard]] std::span<const std::int64_t> extents() const { return {extent.data(), rank}; }
    bool operator==(const Shape&) const = default;
};

// The first `rank` dimensions, and the rest.
Shape head(const Shape& shape, std::uint32_t rank);
Shape tail(const Shape& shape, std::uint32_t rank);
Shape join(const Shape& a, const Shape& b);  // together at most kMaxRank
bool starts_with(const Shape& shape, const Shape& leading);

// "[4, 3]", "[]" for a scalar.
std::string to_string(const Shape& shape);

}  // namespace tenon
