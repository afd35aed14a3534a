// SPDX-License-Identifier: Apache-2.0
// The state of Adam and LAMB: a running mean of each gradient and of its square.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "compute/parameters/network.hpp"

namespace tenon {

inline std::vector<std::string_view> names_of_moments() {
    return {"exp_avg", "exp_avg_sq"};
}

// The addresses of the numbers of some consecutive parameters.
template <class Real>
struct WithMoments {
    Real* value;
    const Real* gradient;
    Real* moment1;
    Real* moment2;
    std::size_t count;
};

template <class Real>
WithMoments<Real> with_moments(Network& network, std::size_t at, std::size_t count) {
    return {network.live.as<Real>() + at, network.gradient.as<Real>() + at,
            network.optimiser_state[0].slab.as<Real>() + at, network.optimiser_state[1].slab.as<Real>() + at, count};
}

}  // namespace tenon
