// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent; compared with torch's in tests/golden/optimisers.txt.
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"
#include "compute/parameters/step_numbers.hpp"

namespace tenon {
namespace {

template <class Real>
SgdNumbers<Real> numbers_of(const SgdPlan& plan, std::span<const double> live, std::int64_t steps) {
    const auto round = [](double x) { return static_cast<Real>(x); };
    return {.lr = round(live[plan.lr]),
            .momentum = round(live[plan.momentum]),
            .gradient_weight = round(1 - live[plan.dampening]),
            .weight_decay = round(live[plan.weight_decay]),
            .begins = steps == 1 || live[plan.momentum] == 0};
}

template <bool kDecays, class Real>
void pass(Real* __restrict value, const Real* __restrict gradient, std::size_t count, const SgdNumbers<Real> n) {
    for (std::size_t i = 0; i < count; ++i) {
        value[i] = sgd_step<kDecays, Momentum::kNone, Real>({value[i], Real(0)}, gradient[i], n).value;
    }
}

template <bool kDecays, Momentum kMomentum, class Real>
void pass(Real* __restrict value, const Real* __restrict gradient, Real* __restrict momentum, std::size_t count,
          const SgdNumbers<Real> n) {
    for (std::size_t i = 0; i < count; ++i) {
        const SgdElement<Real> next = sgd_step<kDecays, kMomentum, Real>({value[i], momentum[i]}, gradient[i], n);
        momentum[i] = next.momentum;
        value[i] = next.value;
    }
}

template <bool kDecays, class Real>
void passes(Network& network, const SgdPlan& plan, const SgdNumbers<Real>& numbers, Pool* pool) {
    each_trainable(network, pool, [&](std::size_t at, std::size_t count) {
        Real* value = network.live.as<Real>() + at;
        const Real* gradient = network.gradient.as<Real>() + at;
        if (!plan.keeps_momentum) {
            pass<kDecays>(value, gradient, count, numbers);
        } else if (Real* momentum = network.optimiser_state[0].slab.as<Real>() + at; plan.nesterov) {
            pass<kDecays, Momentum::kNesterov>(value, gradient, momentum, count, numbers);
        } else {
            pass<kDecays, Momentum::kPlain>(value, gradient, momentum, count, numbers);
        }
    });
}

template <class Real>
void step_in(Network& network, const SgdPlan& plan, std::span<const double> live, Pool* pool) {
    const SgdNumbers<Real> numbers = numbers_of<Real>(plan, live, network.steps);
    live[plan.weight_decay] == 0 ? passes<false>(network, plan, numbers, pool)
                                 : passes<true>(network, plan, numbers, pool);
}

}  // namespace

SgdNumbers<float> step_numbers(const SgdPlan& plan, std::span<const double> live, std::int64_t steps) {
    return numbers_of<float>(plan, live, steps);
}

std::vector<std::string_view> names_of_state(const SgdPlan& plan) {
    return plan.keeps_momentum ? std::vector<std::string_view>{"momentum_buffer"} : std::vector<std::string_view>{};
}

void step(Network& network, DType real, const SgdPlan& plan, std::span<const double> live, Pool* pool) {
    real == DType::kF64 ? step_in<double>(network, plan, live, pool) : step_in<float>(network, plan, live, pool);
}

}  // namespace tenon
