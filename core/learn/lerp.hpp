// SPDX-License-Identifier: Apache-2.0
// The step between two numbers that optimisers and soft target updates share.
#pragma once

namespace tenon {

// From the nearer end, so that weight 1 gives `to` itself.
template <class Real>
Real lerp(Real from, Real to, Real weight) {
    return weight < Real(0.5) ? from + weight * (to - from) : to - (to - from) * (Real(1) - weight);
}

}  // namespace tenon
