// SPDX-License-Identifier: Apache-2.0
// Passes over slabs whose elements do not depend on each other: the run's threads share long ones.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/thread/pool.hpp"
#include "compute/parameters/network.hpp"

namespace tenon {

// Elements; a shorter pass takes less time than waking a thread.
inline constexpr std::size_t kPassWorthSharing = std::size_t{1} << 15U;

// Calls body(first, count) for parts of 0 to `size`, on the threads of the pool. No pool: for all at once.
template <class Body>
void in_parts(Pool* pool, std::size_t size, std::size_t part, const Body& body) {
    if (pool == nullptr || pool->threads() == 1) {
        body(std::size_t{0}, size);
        return;
    }
    pool->parallel_for(
        size, part,
        [](void* arg, std::uint64_t first, std::uint64_t count) { (*static_cast<const Body*>(arg))(first, count); },
        const_cast<Body*>(&body));  // it is only called
}

// Calls pass(first, last) for ranges that cover the elements 0 to `size`. No pool: one range.
template <class Pass>
void in_ranges(Pool* pool, std::size_t size, const Pass& pass) {
    constexpr std::size_t kLine = 16;  // elements: threads write no cache line together
    const std::size_t threads = pool == nullptr ? 1 : pool->threads();
    const std::size_t part = ((size + threads - 1) / threads + kLine - 1) / kLine * kLine;
    in_parts(size < kPassWorthSharing ? nullptr : pool, size, part,
             [&](std::size_t first, std::size_t count) { pass(first, first + count); });
}

// Calls f(offset, count) for the elements of every trainable parameter, in ranges, rather than for the whole slab: in
// the zero padding, an optimiser without eps would divide 0 by 0, and nothing would clear a NaN again.
template <class F>
void each_trainable(const Network& network, Pool* pool, const F& f) {
    in_ranges(pool, network.layout.trainable_size, [&](std::size_t first, std::size_t last) {
        for (const Parameter& parameter : network.layout.parameters) {
            const std::size_t from = std::max(first, parameter.offset);
            const std::size_t to = std::min(last, parameter.offset + parameter.size);
            if (parameter.trainable && from < to) {
                f(from, to - from);
            }
        }
    });
}

}  // namespace tenon
