// SPDX-License-Identifier: Apache-2.0
// One element's step of Adam, for the CPU and for kernels on a device.
#pragma once

#include <cmath>

#include "base/device/either.hpp"
#include "compute/parameters/lerp.hpp"

namespace tenon {

template <class Real>
struct AdamNumbers {
    Real first_weight;   // 1 - beta1
    Real second_decay;   // beta2
    Real second_weight;  // 1 - beta2
    Real step_size;      // lr / (1 - beta1^t)
    Real correction;     // 1 / sqrt(1 - beta2^t): multiplying is much faster than dividing
    Real eps;
    Real weight_decay;  // added to the gradient
    Real shrink;        // factor of the parameter: 1 - lr * weight_decay
};

enum class Decay { kNone, kOfGradient, kOfParameter };

template <class Real>
struct AdamElement {
    Real value;
    Real moment1;
    Real moment2;
};

template <Decay kDecay, class Real>
TENON_EITHER AdamElement<Real> adam_step(AdamElement<Real> at, Real gradient, const AdamNumbers<Real>& n) {
    // without a penalty exactly the gradient, even if the parameter is not finite
    const Real g = kDecay == Decay::kOfGradient ? gradient + n.weight_decay * at.value : gradient;
    const Real m = lerp(at.moment1, g, n.first_weight);
    const Real v = at.moment2 * n.second_decay + n.second_weight * g * g;
    const Real from = kDecay == Decay::kOfParameter ? at.value * n.shrink : at.value;
    return {from - n.step_size * m / (std::sqrt(v) * n.correction + n.eps), m, v};
}

}  // namespace tenon
