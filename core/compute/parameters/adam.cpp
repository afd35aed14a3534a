// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW; compared with torch's in tests/golden/optimisers.txt.
#include <cmath>

#include "base/simd/each_level.hpp"
#include "compute/parameters/lerp.hpp"
#include "compute/parameters/moments.hpp"
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"

namespace tenon {
namespace {

template <class Real>
struct Numbers {
    Real first_weight;   // 1 - beta1
    Real second_decay;   // beta2
    Real second_weight;  // 1 - beta2
    Real step_size;      // lr / (1 - beta1^t)
    Real correction;     // 1 / sqrt(1 - beta2^t): multiplying is much faster than dividing
    Real eps;
    Real weight_decay;  // added to the gradient
    Real shrink;        // factor of the parameter: 1 - lr * weight_decay
};

// Computed in double and rounded, like torch's scalars.
template <class Real>
Numbers<Real> numbers_of(const AdamPlan& plan, std::span<const double> live, std::int64_t steps) {
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

enum class Decay { kNone, kOfGradient, kOfParameter };

template <Decay kDecay, class Real>
TENON_SIMD_INLINE void pass(WithMoments<Real> at, Numbers<Real> n) {
    Real* __restrict value = at.value;
    const Real* __restrict gradient = at.gradient;
    Real* __restrict moment1 = at.moment1;
    Real* __restrict moment2 = at.moment2;
    for (std::size_t i = 0; i < at.count; ++i) {
        const Real g = decayed<Real, kDecay == Decay::kOfGradient>(gradient[i], value[i], n.weight_decay);
        const Real m = lerp(moment1[i], g, n.first_weight);
        const Real v = moment2[i] * n.second_decay + n.second_weight * g * g;
        const Real from = kDecay == Decay::kOfParameter ? value[i] * n.shrink : value[i];
        moment1[i] = m;
        moment2[i] = v;
        value[i] = from - n.step_size * m / (std::sqrt(v) * n.correction + n.eps);
    }
}

template <Decay kDecay, class Real>
void passes(Network& network, const Numbers<Real>& numbers, Pool* pool) {
    each_trainable(network, pool, [&](std::size_t at, std::size_t count) {
        simd::at_best_level<pass<kDecay, Real>>(with_moments<Real>(network, at, count), numbers);
    });
}

template <class Real>
void step_in(Network& network, const AdamPlan& plan, std::span<const double> live, Pool* pool) {
    const Numbers<Real> numbers = numbers_of<Real>(plan, live, network.steps);
    if (live[plan.weight_decay] == 0) {
        passes<Decay::kNone>(network, numbers, pool);
    } else if (plan.decoupled) {
        passes<Decay::kOfParameter>(network, numbers, pool);
    } else {
        passes<Decay::kOfGradient>(network, numbers, pool);
    }
}

}  // namespace

std::vector<std::string_view> names_of_state(const AdamPlan&) {
    return names_of_moments();
}

void step(Network& network, DType real, const AdamPlan& plan, std::span<const double> live, Pool* pool) {
    real == DType::kF64 ? step_in<double>(network, plan, live, pool) : step_in<float>(network, plan, live, pool);
}

}  // namespace tenon
