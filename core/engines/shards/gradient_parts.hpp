// SPDX-License-Identifier: Apache-2.0
// Gradients of networks, one network after the other, in the parts in which they are sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "compute/parameters/network.hpp"

namespace tenon {

// Gradients are sent in parts of so many bytes, so that a process adds the first ones while the next ones arrive.
inline constexpr std::size_t kGradientPart = std::size_t{256} << 10U;

using GradientParts = std::vector<std::span<std::byte>>;

// Bytes of all gradients.
struct GradientRange {
    std::size_t begin = 0;
    std::size_t end = 0;
};

inline GradientRange all_gradients(std::span<Network* const> networks) {
    GradientRange out;
    for (const Network* const network : networks) {
        out.end += network->gradient.size();
    }
    return out;
}

inline GradientParts parts_in(std::span<Network* const> networks, GradientRange range) {
    GradientParts out;
    std::size_t first = 0;  // of the network
    for (Network* const network : networks) {
        const std::span all(network->gradient.as<std::byte>(), network->gradient.size());
        const std::size_t end = std::min(range.end, first + all.size());
        for (std::size_t at = std::max(range.begin, first); at < end; at += kGradientPart) {
            out.push_back(all.subspan(at - first, std::min(kGradientPart, end - at)));
        }
        first += all.size();
    }
    return out;
}

}  // namespace tenon
