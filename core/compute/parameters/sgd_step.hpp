// SPDX-License-Identifier: Apache-2.0
// One element's step of stochastic gradient descent, for the CPU and for kernels on a device.
#pragma once

#include "compute/parameters/decayed.hpp"

namespace tenon {

template <class Real>
struct SgdNumbers {
    Real lr;
    Real momentum;
    Real gradient_weight;  // 1 - dampening
    Real weight_decay;
    bool begins;  // the momentum equals the gradient: at the first step, and while a schedule sets it to 0
};

enum class Momentum { kNone, kPlain, kNesterov };

template <class Real>
struct SgdElement {
    Real value;
    Real momentum;
};

template <bool kDecays, Momentum kMomentum, class Real>
TENON_EITHER SgdElement<Real> sgd_step(SgdElement<Real> at, Real gradient, const SgdNumbers<Real>& n) {
    const Real g = decayed<kDecays>(gradient, at.value, n.weight_decay);
    if constexpr (kMomentum == Momentum::kNone) {
        return {at.value - n.lr * g, at.momentum};
    } else {
        const Real m = n.begins ? g : at.momentum * n.momentum + n.gradient_weight * g;
        return {at.value - n.lr * (kMomentum == Momentum::kNesterov ? g + n.momentum * m : m), m};
    }
}

}  // namespace tenon
