// SPDX-License-Identifier: Apache-2.0
// Weight decay as an L2 penalty.
#pragma once

#include "base/device/either.hpp"

namespace tenon {

// The gradient plus the gradient of the penalty; without a penalty exactly the gradient, even if the parameter is not
// finite.
template <bool kDecays, class Real>
TENON_EITHER Real decayed(Real gradient, Real value, Real weight_decay) {
    if constexpr (kDecays) {
        return gradient + weight_decay * value;
    } else {
        return gradient;
    }
}

}  // namespace tenon
