// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/target.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/simd/each_level.hpp"
#include "compute/parameters/lerp.hpp"
#include "compute/parameters/shared_pass.hpp"

namespace tenon {
namespace {

template <class Real>
TENON_SIMD_INLINE void move_towards(Real* __restrict target, const Real* __restrict live, std::size_t count,
                                    Real weight) {
    for (std::size_t i = 0; i < count; ++i) {
        target[i] = lerp(target[i], live[i], weight);
    }
}

template <class Real>
void move_target(Network& network, Real weight, Pool* pool) {
    in_ranges(pool, network.layout.trainable_size, [&](std::size_t first, std::size_t last) {
        simd::at_best_level<move_towards<Real>>(network.target.as<Real>() + first,
                                                network.live.as<const Real>() + first, last - first, weight);
    });
}

}  // namespace

void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live, Pool* pool) {
    if (network.target.empty() || ++network.since_target < plan.every) {
        return;
    }
    network.since_target = 0;
    std::size_t copied_from = 0;
    if (plan.soft) {
        const double tau = live[plan.tau];
        if (real == DType::kF64) {
            move_target(network, tau, pool);
        } else {
            move_target(network, static_cast<float>(tau), pool);
        }
        copied_from = network.layout.trainable_size * size_of(real);
    }
    std::memcpy(network.target.as<std::byte>() + copied_from, network.live.as<std::byte>() + copied_from,
                network.target.size() - copied_from);
}

void update_reference(Network& network, std::int64_t every) {
    if (network.reference.empty() || every == 0 || ++network.since_reference < every) {
        return;
    }
    network.since_reference = 0;
    std::memcpy(network.reference.data(), network.live.data(), network.reference.size());
}

void advance_behaviour(Network& network) {
    if (network.behaviour.empty()) {
        return;
    }
    if (network.waiting.empty()) {
        std::memcpy(network.behaviour.data(), network.live.data(), network.behaviour.size());
        return;
    }
    std::swap(network.behaviour, network.waiting.front());
    std::ranges::rotate(network.waiting, network.waiting.begin() + 1);
    std::memcpy(network.waiting.back().data(), network.live.data(), network.live.size());
}

}  // namespace tenon
