// SPDX-License-Identifier: Apache-2.0
#include "base/data/shape.hpp"

#include <algorithm>

#include "base/data/shape_text.hpp"

namespace tenon {

Shape::Shape(std::span<const std::int64_t> extents) : rank(static_cast<std::uint32_t>(extents.size())) {
    assert(extents.size() <= kMaxRank);
    std::copy(extents.begin(), extents.end(), extent.begin());
}

std::int64_t Shape::elements() const {
    std::int64_t product = 1;
    for (const std::int64_t n : extents()) {
        product *= n;
    }
    return product;
}

Shape head(const Shape& shape, std::uint32_t rank) {
    assert(rank <= shape.rank);
    return Shape(shape.extents().first(rank));
}

Shape tail(const Shape& shape, std::uint32_t rank) {
    assert(rank <= shape.rank);
    return Shape(shape.extents().subspan(rank));
}

Shape join(const Shape& a, const Shape& b) {
    assert(a.rank + b.rank <= kMaxRank);
    Shape out = a;
    std::copy_n(b.extent.begin(), b.rank, out.extent.begin() + a.rank);
    out.rank += b.rank;
    return out;
}

bool starts_with(const Shape& shape, const Shape& leading) {
    return leading.rank <= shape.rank && head(shape, leading.rank) == leading;
}

std::string to_string(const Shape& shape) {
    return shape_text(shape.extents());
}

}  // namespace tenon
