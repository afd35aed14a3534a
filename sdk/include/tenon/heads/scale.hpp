// SPDX-License-Identifier: Apache-2.0
// Standard deviations from unbounded numbers.
#pragma once

#include <cmath>

#include "tenon/build.hpp"

namespace tenon {
inline namespace TENON_SDK {

// From raw outputs of a network: softplus, shifted so that 0 gives `begin` (above 0.01); never below floor. The same as
// TorchRL's biased_softplus.
inline Value positive_scale(Value raw, In floor, double begin = 1) {
    const detail::CalledFrom caller(floor.at);
    const double least = 0.01;
    const double shift = std::log(std::expm1(begin - least));
    return max(softplus(raw + shift) + least, floor);
}

// exp, never below floor.
inline Value exp_scale(Value raw, In floor) {
    const detail::CalledFrom caller(floor.at);
    return max(exp(raw), floor);
}

// A learnt scale for each of n elements, the same in all states: exp of the parameter NAME. The same as TorchRL's
// AddStateIndependentNormalScale.
inline Value free_scale(const Graph& g, Name name, std::int64_t n, In floor, double begin = 1) {
    const detail::CalledFrom caller(name.at);
    return exp_scale(g.parameter(name, {n}, constant(std::log(begin))), floor);
}

}  // namespace TENON_SDK
}  // namespace tenon
