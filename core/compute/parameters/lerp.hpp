// SPDX-License-Identifier: Apache-2.0
// Linear interpolation, used by optimisers and soft target updates.
#pragma once

#include "base/device/either.hpp"

namespace tenon {

// Starts at the nearer end, so that weight 1 gives exactly `to`.
template <class Real>
TENON_EITHER Real lerp(Real from, Real to, Real weight) {
    return weight < Real(0.5) ? from + weight * (to - from) : to - (to - from) * (Real(1) - weight);
}

}  // namespace tenon
