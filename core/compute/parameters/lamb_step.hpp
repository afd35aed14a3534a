// SPDX-License-Identifier: Apache-2.0
// LAMB's computation for one element, for the CPU and for kernels on a device.
#pragma once

#include <cmath>

#include "base/device/either.hpp"
#include "compute/parameters/lerp.hpp"

namespace tenon {

template <class Real>
struct LambNumbers {
    Real lr;
    Real first_weight;   // 1 - beta1
    Real second_decay;   // beta2
    Real second_weight;  // 1 - beta2
    Real step_size;      // 1 / (1 - beta1^t)
    Real correction;     // 1 / sqrt(1 - beta2^t)
    Real eps;
    Real weight_decay;
};

template <class Real>
struct LambMoments {
    Real first;
    Real second;
};

template <class Real>
TENON_EITHER LambMoments<Real> lamb_moments(LambMoments<Real> at, Real gradient, const LambNumbers<Real>& n) {
    return {lerp(at.first, gradient, n.first_weight),
            at.second * n.second_decay + n.second_weight * gradient * gradient};
}

// The step before it is scaled by the norms.
template <class Real>
TENON_EITHER Real lamb_step(LambMoments<Real> at, Real value, const LambNumbers<Real>& n) {
    return n.step_size * at.first / (std::sqrt(at.second) * n.correction + n.eps) + n.weight_decay * value;
}

// The factor of a tensor's step, from the norms of its values and of its step.
template <class Real>
TENON_EITHER Real lamb_rate(double value, double step, const LambNumbers<Real>& n) {
    const Real trust = value > 0 && step > 0 ? static_cast<Real>(value / step) : Real(1);
    return trust * n.lr;
}

}  // namespace tenon
