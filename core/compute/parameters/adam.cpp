// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW; compared with torch's in tests/golden/optimisers.txt.
#include <cmath>

#include "base/simd/each_level.hpp"
#include "compute/parameters/moments.hpp"
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"
#include "compute/parameters/step_numbers.hpp"

namespace tenon {
namespace {

// Computed in double and rounded, like torch's scalars.
template <class Real>
AdamNumbers<Real> numbers_of(const AdamPlan& plan, std::span<const double> live, std::int64_t steps) {
    const auto round = [](double x) { return static_cast<Real>(x); };
    const double t = static_cast<double>(steps);
    const double beta1 = live[plan.beta1];
    const double beta2 = live[plan.beta2];
    const double lr = live[plan.lr];
    return {.first_weight = round(1 - beta1),
            .second_decay = round(beta2),
            .second_weight = round(1 - beta2),
            .step_size = round(lr / (1 - std::pow(beta1, t))),
            .correction = round(1 / std::sqrt(1 - std::pow(beta2, t))),
            .eps = round(live[plan.eps]),
            .weight_decay = round(live[plan.weight_decay]),
            .shrink = round(1 - lr * live[plan.weight_decay])};
}

template <Decay kDecay, class Real>
TENON_SIMD_INLINE void pass(WithMoments<Real> at, AdamNumbers<Real> n) {
    Real* __restrict value = at.value;
    const Real* __restrict gradient = at.gradient;
    Real* __restrict moment1 = at.moment1;
    Real* __restrict moment2 = at.moment2;
    for (std::size_t i = 0; i < at.count; ++i) {
        const AdamElement<Real> next = adam_step<kDecay, Real>({value[i], moment1[i], moment2[i]}, gradient[i], n);
        moment1[i] = next.moment1;
        moment2[i] = next.moment2;
        value[i] = next.value;
    }
}

template <Decay kDecay, class Real>
void passes(Network& network, const AdamNumbers<Real>& numbers, Pool* pool) {
    each_trainable(network, pool, [&](std::size_t at, std::size_t count) {
        simd::at_best_level<pass<kDecay, Real>>(with_moments<Real>(network, at, count), numbers);
    });
}

template <class Real>
void step_in(Network& network, const AdamPlan& plan, std::span<const double> live, Pool* pool) {
    const AdamNumbers<Real> numbers = numbers_of<Real>(plan, live, network.steps);
    switch (adam_decay(plan, live)) {
        case Decay::kNone:
            return passes<Decay::kNone>(network, numbers, pool);
        case Decay::kOfParameter:
            return passes<Decay::kOfParameter>(network, numbers, pool);
        case Decay::kOfGradient:
            return passes<Decay::kOfGradient>(network, numbers, pool);
    }
}

}  // namespace

AdamNumbers<float> step_numbers(const AdamPlan& plan, std::span<const double> live, std::int64_t steps) {
    return numbers_of<float>(plan, live, steps);
}

Decay adam_decay(const AdamPlan& plan, std::span<const double> live) {
    return live[plan.weight_decay] == 0 ? Decay::kNone : plan.decoupled ? Decay::kOfParameter : Decay::kOfGradient;
}

std::vector<std::string_view> names_of_state(const AdamPlan&) {
    return names_of_moments();
}

void step(Network& network, DType real, const AdamPlan& plan, std::span<const double> live, Pool* pool) {
    real == DType::kF64 ? step_in<double>(network, plan, live, pool) : step_in<float>(network, plan, live, pool);
}

}  // namespace tenon
