// SPDX-License-Identifier: Apache-2.0
#include "compute/graph/limits.hpp"

#include <algorithm>
#include <numeric>

namespace tenon::graph {

std::int64_t bounded_product(std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) || out > kMostElements ? kMostElements + 1 : out;
}

std::int64_t bounded_product(std::span<const std::int64_t> sizes) {
    const auto times = [](std::int64_t a, std::int64_t b) { return bounded_product(a, b); };
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, times);
}

std::string excess(const Type& type, const Symbols& symbols, std::int64_t rows) {
    if (type.dims.size() > kMostDimensions) {
        return " has " + std::to_string(type.dims.size()) + " dimensions, but a value can have at most " +
               std::to_string(kMostDimensions);
    }
    const auto smallest = std::ranges::min_element(type.sizes());
    if (smallest != type.sizes().end() && *smallest < 1) {
        return " has a size of " + std::to_string(*smallest) + ", but every size must be at least 1";
    }
    std::int64_t elements = bounded_product(type.sizes());
    for (const Dim symbol : type.symbols()) {
        elements = bounded_product(elements, symbol > kFirstDerived ? 1 : std::max<Dim>(symbols.size(symbol), 1));
    }
    const bool by_row = std::ranges::any_of(type.symbols(), [](Dim symbol) { return symbol > kFirstDerived; });
    elements = bounded_product(elements, by_row ? rows : 1);
    if (elements <= kMostElements) {
        return {};
    }
    return " has too many elements" + (by_row && rows > 1 ? " for " + std::to_string(rows) + " rows" : std::string()) +
           ": a value has at most 2^" + std::to_string(kMostElementsLog2) + ", all rows together";
}

}  // namespace tenon::graph
