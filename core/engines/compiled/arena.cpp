// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/arena.hpp"

#include <algorithm>
#include <numeric>

namespace tenon::compiled {
namespace {}  // namespace

std::size_t place_lifetimes(std::vector<Lifetime>& lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
    std::vector<std::size_t> placed;  // by offset
    std::size_t total = 0;
    for (const std::size_t number : order) {
        Lifetime& now = lifetimes[number];
        std::size_t offset = 0;
        for (const std::size_t other : placed) {
            const Lifetime& neighbour = lifetimes[other];
            const bool together = neighbour.first <= now.last && now.first <= neighbour.last;
            if (together && offset + now.bytes > neighbour.offset && offset < neighbour.offset + neighbour.bytes) {
                offset = (neighbour.offset + neighbour.bytes + kAlignment - 1) / kAlignment * kAlignment;
            }
        }
        now.offset = offset;
        total = std::max(total, offset + now.bytes);
        placed.insert(std::ranges::lower_bound(placed, offset, {}, [&](std::size_t i) { return lifetimes[i].offset; }),
                      number);
    }
    return total;
}

}  // namespace tenon::compiled
