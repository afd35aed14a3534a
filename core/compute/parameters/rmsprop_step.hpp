// SPDX-License-Identifier: Apache-2.0
// One element's step of RMSprop, for the CPU and for kernels on a device.
#pragma once

#include <cmath>

#include "compute/parameters/decayed.hpp"
#include "compute/parameters/lerp.hpp"

namespace tenon {

template <class Real>
struct RmspropNumbers {
    Real lr;
    Real decay;   // alpha
    Real weight;  // 1 - alpha
    Real eps;
    Real momentum;
    Real weight_decay;
};

// State that the optimiser does not keep is 0.
template <class Real>
struct RmspropElement {
    Real value;
    Real square;
    Real mean;
    Real momentum;
};

template <bool kDecays, bool kCentered, bool kMomentum, class Real>
TENON_EITHER RmspropElement<Real> rmsprop_step(RmspropElement<Real> at, Real gradient, const RmspropNumbers<Real>& n) {
    const Real g = decayed<kDecays>(gradient, at.value, n.weight_decay);
    RmspropElement<Real> to = at;
    to.square = at.square * n.decay + n.weight * g * g;
    Real variance = to.square;
    if constexpr (kCentered) {
        to.mean = lerp(at.mean, g, n.weight);
        // It can be negative only by rounding; torch's square root then gives NaN.
        const Real centered = variance - to.mean * to.mean;
        variance = centered < Real(0) ? Real(0) : centered;
    }
    const Real scale = std::sqrt(variance) + n.eps;
    if constexpr (kMomentum) {
        to.momentum = at.momentum * n.momentum + g / scale;
        to.value = at.value - n.lr * to.momentum;
    } else {
        to.value = at.value - n.lr * g / scale;
    }
    return to;
}

}  // namespace tenon
