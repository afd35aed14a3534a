// SPDX-License-Identifier: Apache-2.0
// RMSprop (Tieleman and Hinton, 2012; centered: Graves, 2013, equations 38 to 45, with eps outside of the root);
// compared with torch's in tests/golden/optimisers.txt.
#include <algorithm>
#include <cmath>

#include "compute/parameters/lerp.hpp"
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"

namespace tenon {
namespace {

template <class Real>
struct Numbers {
    Real lr;
    Real decay;   // alpha
    Real weight;  // 1 - alpha
    Real eps;
    Real momentum;
    Real weight_decay;
};

template <class Real>
Numbers<Real> numbers_of(const RmspropPlan& plan, std::span<const double> live) {
    const auto round = [](double x) { return static_cast<Real>(x); };
    return {.lr = round(live[plan.lr]),
            .decay = round(live[plan.alpha]),
            .weight = round(1 - live[plan.alpha]),
            .eps = round(live[plan.eps]),
            .momentum = round(live[plan.momentum]),
            .weight_decay = round(live[plan.weight_decay])};
}

// Slabs that the optimiser does not use are null.
template <bool kDecays, bool kCentered, bool kMomentum, class Real>
void pass(Real* __restrict value, const Real* __restrict gradient, Real* __restrict square, Real* __restrict mean,
          Real* __restrict momentum, std::size_t count, const Numbers<Real> n) {
    for (std::size_t i = 0; i < count; ++i) {
        const Real g = decayed<Real, kDecays>(gradient[i], value[i], n.weight_decay);
        Real variance = square[i] * n.decay + n.weight * g * g;
        square[i] = variance;
        if constexpr (kCentered) {
            const Real m = lerp(mean[i], g, n.weight);
            mean[i] = m;
            // It can be negative only by rounding, where torch's square root gives NaN.
            variance = std::max(variance - m * m, Real(0));
        }
        const Real scale = std::sqrt(variance) + n.eps;
        if constexpr (kMomentum) {
            const Real b = momentum[i] * n.momentum + g / scale;
            momentum[i] = b;
            value[i] -= n.lr * b;
        } else {
            value[i] -= n.lr * g / scale;
        }
    }
}

template <bool kDecays, bool kCentered, bool kMomentum, class Real>
void passes(Network& network, const Numbers<Real>& numbers, Pool* pool) {
    each_trainable(network, pool, [&](std::size_t at, std::size_t count) {
        const auto slab = [&](bool kept, std::size_t index) {
            return kept ? network.optimiser_state[index].slab.as<Real>() + at : nullptr;
        };
        pass<kDecays, kCentered, kMomentum>(network.live.as<Real>() + at, network.gradient.as<Real>() + at,
                                            slab(true, 0), slab(kCentered, 1), slab(kMomentum, kCentered ? 2 : 1),
                                            count, numbers);
    });
}

template <class Real>
void step_in(Network& network, const RmspropPlan& plan, std::span<const double> live, Pool* pool) {
    const Numbers<Real> n = numbers_of<Real>(plan, live);
    const auto choose = [&]<bool kDecays>() {
        if (plan.centered) {
            plan.keeps_momentum ? passes<kDecays, true, true>(network, n, pool)
                                : passes<kDecays, true, false>(network, n, pool);
        } else {
            plan.keeps_momentum ? passes<kDecays, false, true>(network, n, pool)
                                : passes<kDecays, false, false>(network, n, pool);
        }
    };
    live[plan.weight_decay] == 0 ? choose.template operator()<false>() : choose.template operator()<true>();
}

}  // namespace

std::vector<std::string_view> names_of_state(const RmspropPlan& plan) {
    std::vector<std::string_view> names = {"square_avg"};
    if (plan.centered) {
        names.emplace_back("grad_avg");
    }
    if (plan.keeps_momentum) {
        names.emplace_back("momentum_buffer");
    }
    return names;
}

void step(Network& network, DType real, const RmspropPlan& plan, std::span<const double> live, Pool* pool) {
    real == DType::kF64 ? step_in<double>(network, plan, live, pool) : step_in<float>(network, plan, live, pool);
}

}  // namespace tenon
