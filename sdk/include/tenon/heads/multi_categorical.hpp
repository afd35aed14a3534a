// SPDX-License-Identifier: Apache-2.0
// Several independent categorical choices, as a vector of their indices.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <source_location>
#include <span>
#include <vector>

#include "tenon/heads/categorical.hpp"

namespace tenon {
inline namespace TENON_SDK {

// Splits concatenated scores by part: [.., sum of sizes] -> [.., parts, largest size]. Shorter parts are padded with
// kForbidden, for categories that are never drawn and add nothing to any sum.
inline Value by_part(Value scores, std::span<const std::int64_t> sizes,
                     std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const std::int64_t most = *std::ranges::max_element(sizes);
    const In filler = unsqueeze(kForbidden);
    std::vector<In> row;
    std::int64_t first = 0;
    for (const std::int64_t size : sizes) {
        row.emplace_back(slice(scores, first, size));
        row.insert(row.end(), static_cast<std::size_t>(most - size), filler);
        first += size;
    }
    const bool even = first == most * static_cast<std::int64_t>(sizes.size());
    return reshape(even ? scores : concat(row), {static_cast<std::int64_t>(sizes.size()), most});
}

struct MultiCategorical {
    Value logits;                                               // [.., parts, n], by_part
    std::source_location at = std::source_location::current();  // where the author made it, for messages

    [[nodiscard]] Categorical each() const { return {logits}; }
    [[nodiscard]] Value log_prob(In action) const { return detail::CalledFrom(at), sum(each().log_prob(action)); }
    [[nodiscard]] Value mode() const { return detail::CalledFrom(at), each().mode(); }
    [[nodiscard]] Value entropy() const { return detail::CalledFrom(at), sum(each().entropy()); }
    [[nodiscard]] Value kl(const MultiCategorical& other) const {
        return detail::CalledFrom(at), sum(each().kl(other.each()));
    }
    [[nodiscard]] Draw sample() const {
        const detail::CalledFrom caller(at);
        const Value action = each().draw();
        return {action, log_prob(action)};
    }

    static constexpr std::array kStored = {Stored{"action_logits", &MultiCategorical::logits}};
};

}  // namespace TENON_SDK
}  // namespace tenon
