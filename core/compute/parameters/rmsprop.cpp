// SPDX-License-Identifier: Apache-2.0
// RMSprop (Tieleman and Hinton, 2012; centered: Graves, 2013, equations 38 to 45, with eps outside of the root);
// compared with torch's in tests/golden/optimisers.txt.
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"
#include "compute/parameters/step_numbers.hpp"

namespace tenon {
namespace {

template <class Real>
RmspropNumbers<Real> numbers_of(const RmspropPlan& plan, std::span<const double> live) {
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
          Real* __restrict momentum, std::size_t count, const RmspropNumbers<Real> n) {
    for (std::size_t i = 0; i < count; ++i) {
        const RmspropElement<Real> next = rmsprop_step<kDecays, kCentered, kMomentum, Real>(
            {value[i], square[i], kCentered ? mean[i] : Real(0), kMomentum ? momentum[i] : Real(0)}, gradient[i], n);
        square[i] = next.square;
        if constexpr (kCentered) {
            mean[i] = next.mean;
        }
        if constexpr (kMomentum) {
            momentum[i] = next.momentum;
        }
        value[i] = next.value;
    }
}

template <bool kDecays, bool kCentered, bool kMomentum, class Real>
void passes(Network& network, const RmspropNumbers<Real>& numbers, Pool* pool) {
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
    const RmspropNumbers<Real> n = numbers_of<Real>(plan, live);
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

RmspropNumbers<float> step_numbers(const RmspropPlan& plan, std::span<const double> live, std::int64_t /*steps*/) {
    return numbers_of<float>(plan, live);
}

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
