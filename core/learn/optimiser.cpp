// SPDX-License-Identifier: Apache-2.0
// The arithmetic is torch's, operation for operation, in the run's real type; see tests/golden/adam.txt.
#include "learn/optimiser.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace tenon {
namespace {

// From the nearer end, so that weight 1 gives `to` itself.
template <class Real>
Real lerp(Real from, Real to, Real weight) {
    return weight < Real(0.5) ? from + weight * (to - from) : to - (to - from) * (Real(1) - weight);
}

struct AdamNumbers {
    double first_weight;   // 1 - beta1
    double second_decay;   // beta2
    double second_weight;  // 1 - beta2
    double step_size;      // lr / (1 - beta1^t)
    double correction;     // sqrt(1 - beta2^t)
    double eps;
};

AdamNumbers adam_numbers(const OptimiserPlan& plan, std::span<const double> live, std::int64_t steps) {
    const double t = static_cast<double>(steps);
    const double beta1 = live[plan.beta1];
    const double beta2 = live[plan.beta2];
    return {.first_weight = 1 - beta1,
            .second_decay = beta2,
            .second_weight = 1 - beta2,
            .step_size = live[plan.lr] / (1 - std::pow(beta1, t)),
            .correction = std::sqrt(1 - std::pow(beta2, t)),
            .eps = live[plan.eps]};
}

template <class Real>
void adam_pass(Real* __restrict value, const Real* __restrict gradient, Real* __restrict moment1,
               Real* __restrict moment2, std::size_t count, const AdamNumbers& numbers) {
    const Real first_weight = static_cast<Real>(numbers.first_weight);
    const Real second_decay = static_cast<Real>(numbers.second_decay);
    const Real second_weight = static_cast<Real>(numbers.second_weight);
    const Real step_size = static_cast<Real>(numbers.step_size);
    const Real correction = static_cast<Real>(numbers.correction);
    const Real eps = static_cast<Real>(numbers.eps);
    for (std::size_t i = 0; i < count; ++i) {
        const Real g = gradient[i];
        const Real m = lerp(moment1[i], g, first_weight);
        const Real v = moment2[i] * second_decay + second_weight * g * g;
        moment1[i] = m;
        moment2[i] = v;
        value[i] -= step_size * m / (std::sqrt(v) / correction + eps);
    }
}

template <class Real>
void adam(Network& network, const AdamNumbers& numbers) {
    // Parameter by parameter: with an eps of 0 a gap would become 0 / 0.
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            const std::size_t at = parameter.offset;
            adam_pass(network.live.as<Real>() + at, network.gradient.as<Real>() + at, network.moment1.as<Real>() + at,
                      network.moment2.as<Real>() + at, parameter.size, numbers);
        }
    }
}

// Sixteen sums side by side: a fixed order that a compiler may put into vector registers. Slabs are multiples of it.
constexpr std::size_t kSums = 16;

template <class Real>
void add_squares(const Real* values, std::size_t count, std::array<double, kSums>& sums) {
    for (std::size_t i = 0; i < count; i += kSums) {
        for (std::size_t k = 0; k < kSums; ++k) {
            const double x = static_cast<double>(values[i + k]);
            sums[k] += x * x;
        }
    }
}

template <class Real>
void scale_gradient(Network& network, double coefficient) {
    const Real factor = static_cast<Real>(coefficient);
    // Parameter by parameter: a factor that is not a number must not enter the gaps, which nothing would clear again.
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            Real* gradient = network.gradient.as<Real>() + parameter.offset;
            for (std::size_t i = 0; i < parameter.size; ++i) {
                gradient[i] *= factor;
            }
        }
    }
}

template <class Real>
void move_target(Network& network, Real weight) {
    const Real* __restrict live = network.live.as<Real>();
    Real* __restrict target = network.target.as<Real>();
    for (std::size_t i = 0; i < network.layout.trainable_size; ++i) {
        target[i] = lerp(target[i], live[i], weight);
    }
}

}  // namespace

double gradient_norm(std::span<Network* const> networks, DType real) {
    std::array<double, kSums> sums{};
    for (const Network* network : networks) {
        const std::size_t count = network->layout.trainable_size;
        if (real == DType::kF64) {
            add_squares(network->gradient.as<double>(), count, sums);
        } else {
            add_squares(network->gradient.as<float>(), count, sums);
        }
    }
    double total = 0;
    for (const double sum : sums) {
        total += sum;
    }
    return std::sqrt(total);
}

void clip_gradients(std::span<Network* const> networks, DType real, double norm, double clip_norm) {
    const double coefficient = clip_norm / (norm + 1e-6);
    // A norm that is not a number goes through, as in torch, so that the step shows it.
    if (clip_norm <= 0 || coefficient >= 1) {
        return;
    }
    for (Network* network : networks) {
        if (real == DType::kF64) {
            scale_gradient<double>(*network, coefficient);
        } else {
            scale_gradient<float>(*network, coefficient);
        }
    }
}

void adam_step(Network& network, DType real, const OptimiserPlan& plan, std::span<const double> live) {
    ++network.steps;
    const AdamNumbers numbers = adam_numbers(plan, live, network.steps);
    if (real == DType::kF64) {
        adam<double>(network, numbers);
    } else {
        adam<float>(network, numbers);
    }
}

void update_target(Network& network, DType real, const TargetPlan& plan, std::span<const double> live) {
    if (network.target.empty() || ++network.since_target < plan.every) {
        return;
    }
    network.since_target = 0;
    std::size_t copied_from = 0;
    if (plan.soft) {
        const double tau = live[plan.tau];
        if (real == DType::kF64) {
            move_target(network, tau);
        } else {
            move_target(network, static_cast<float>(tau));
        }
        copied_from = network.layout.trainable_size * size_of(real);
    }
    std::memcpy(network.target.as<std::byte>() + copied_from, network.live.as<std::byte>() + copied_from,
                network.target.size() - copied_from);
}

}  // namespace tenon
