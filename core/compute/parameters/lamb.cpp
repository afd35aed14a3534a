// SPDX-License-Identifier: Apache-2.0
// LAMB (You et al. 2020, algorithm 2): Adam's step, scaled for each parameter by the ratio of its norm to the step's.
// Compared with timm's in tests/golden/optimisers.txt. Each member of an ensemble has its own norms.
#include <array>
#include <cmath>

#include "base/simd/each_level.hpp"
#include "compute/parameters/moments.hpp"
#include "compute/parameters/rules.hpp"
#include "compute/parameters/shared_pass.hpp"
#include "compute/parameters/step_numbers.hpp"

namespace tenon {
namespace {

template <class Real>
LambNumbers<Real> numbers_of(const LambPlan& plan, std::span<const double> live, std::int64_t steps) {
    const auto round = [](double x) { return static_cast<Real>(x); };
    const double t = static_cast<double>(steps);
    const double beta1 = live[plan.beta1];
    const double beta2 = live[plan.beta2];
    return {.lr = round(live[plan.lr]),
            .first_weight = round(1 - beta1),
            .second_decay = round(beta2),
            .second_weight = round(1 - beta2),
            .step_size = round(1 / (1 - std::pow(beta1, t))),
            .correction = round(1 / std::sqrt(1 - std::pow(beta2, t))),
            .eps = round(live[plan.eps]),
            .weight_decay = round(live[plan.weight_decay])};
}

// Parallel sums, in a fixed order that the compiler can vectorise.
constexpr std::size_t kSums = 16;
struct Squares {
    std::array<double, kSums> value{};
    std::array<double, kSums> step{};
};

template <class Real>
TENON_SIMD_INLINE void move_moments(WithMoments<Real> at, LambNumbers<Real> n, Squares* to) {
    Squares sums = *to;
    const auto one = [&](std::size_t i, std::size_t k) {
        const LambMoments<Real> moved = lamb_moments<Real>({at.moment1[i], at.moment2[i]}, at.gradient[i], n);
        at.moment1[i] = moved.first;
        at.moment2[i] = moved.second;
        const auto value = static_cast<double>(at.value[i]);
        const auto step = static_cast<double>(lamb_step<Real>(moved, at.value[i], n));
        sums.value[k] += value * value;
        sums.step[k] += step * step;
    };
    const std::size_t whole = at.count / kSums * kSums;
    for (std::size_t i = 0; i < whole; i += kSums) {
        for (std::size_t k = 0; k < kSums; ++k) {
            one(i + k, k);
        }
    }
    for (std::size_t i = whole; i < at.count; ++i) {
        one(i, i - whole);
    }
    *to = sums;
}

template <class Real>
TENON_SIMD_INLINE void move_values(WithMoments<Real> at, LambNumbers<Real> n, Real rate) {
    Real* __restrict value = at.value;
    const Real* __restrict moment1 = at.moment1;
    const Real* __restrict moment2 = at.moment2;
    for (std::size_t i = 0; i < at.count; ++i) {
        value[i] -= rate * lamb_step<Real>({moment1[i], moment2[i]}, value[i], n);
    }
}

double norm_of(const std::array<double, kSums>& squares) {
    double sum = 0;
    for (const double square : squares) {
        sum += square;
    }
    return std::sqrt(sum);
}

template <class Real>
void step_tensor(WithMoments<Real> at, const LambNumbers<Real>& n) {
    Squares squares;
    simd::at_best_level<move_moments<Real>>(at, n, &squares);
    simd::at_best_level<move_values<Real>>(at, n, lamb_rate<Real>(norm_of(squares.value), norm_of(squares.step), n));
}

// Threads share whole tensors rather than elements, because the norms of a tensor are needed before its step.
template <class Real>
void step_in(Network& network, const LambPlan& plan, std::span<const double> live, Pool* pool) {
    const LambNumbers<Real> numbers = numbers_of<Real>(plan, live, network.steps);
    const auto members = static_cast<std::size_t>(network.layout.members);
    const auto step_some = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            const Parameter& parameter = network.layout.parameters[i / members];
            if (parameter.trainable) {
                const std::size_t size = parameter.size / members;
                const std::size_t at = parameter.offset + i % members * size;
                step_tensor(with_moments<Real>(network, at, size), numbers);
            }
        }
    };
    in_parts(network.layout.trainable_size < kPassWorthSharing ? nullptr : pool,
             network.layout.parameters.size() * members, 1, step_some);
}

}  // namespace

LambNumbers<float> step_numbers(const LambPlan& plan, std::span<const double> live, std::int64_t steps) {
    return numbers_of<float>(plan, live, steps);
}

std::vector<std::string_view> names_of_state(const LambPlan&) {
    return names_of_moments();
}

void step(Network& network, DType real, const LambPlan& plan, std::span<const double> live, Pool* pool) {
    real == DType::kF64 ? step_in<double>(network, plan, live, pool) : step_in<float>(network, plan, live, pool);
}

}  // namespace tenon
