// SPDX-License-Identifier: Apache-2.0
// One-hot encoding of columns that hold categories. As plain numbers they would tell a network that category 7 is more
// than category 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <source_location>
#include <span>
#include <vector>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Whether the elements of a column are category indices.
inline bool holds_categories(const tn_spec& spec) {
    return spec.category_count > 0 && (spec.kind == TN_SPEC_CATEGORICAL || spec.kind == TN_SPEC_MULTI_CATEGORICAL);
}

// The indices in a column of that spec as one-hot vectors, concatenated: [.., sum of the categories].
inline Value categories_one_hot(Value indices, const tn_spec& spec,
                                std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::span<const std::int64_t> sizes(spec.categories, spec.category_count);
    const std::int64_t elements =
        std::accumulate(spec.shape, spec.shape + spec.rank, std::int64_t{1}, std::multiplies<>());
    if (std::ranges::count(sizes, sizes.front()) == std::ssize(sizes)) {
        const Value each = one_hot(indices, sizes.front());
        return spec.rank == 0 ? each : reshape(each, {elements * sizes.front()});
    }
    std::vector<In> parts;
    for (std::int64_t i = 0; i < std::ssize(sizes); ++i) {
        parts.emplace_back(one_hot(squeeze(slice(indices, i, 1)), sizes[static_cast<std::size_t>(i)]));
    }
    const std::int64_t width = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    return spec.rank == 1 ? concat(parts) : reshape(concat(parts), {elements / std::ssize(sizes) * width});
}

}  // namespace TENON_SDK
}  // namespace tenon
