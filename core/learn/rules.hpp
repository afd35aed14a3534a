// SPDX-License-Identifier: Apache-2.0
// The algorithms behind optimiser_step: a file and two functions each.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "learn/optimiser.hpp"

namespace tenon {

std::vector<std::string_view> names_of_state(const AdamPlan& plan);
std::vector<std::string_view> names_of_state(const SgdPlan& plan);
std::vector<std::string_view> names_of_state(const RmspropPlan& plan);

// network.steps counts this step already.
void step(Network& network, DType real, const AdamPlan& plan, std::span<const double> live);
void step(Network& network, DType real, const SgdPlan& plan, std::span<const double> live);
void step(Network& network, DType real, const RmspropPlan& plan, std::span<const double> live);

// f(offset, count) for every trainable parameter. Not the slab as a whole: in the gaps, where all is 0, a rule without
// eps would divide 0 by 0.
template <class F>
void each_trainable(const Network& network, F f) {
    for (const Parameter& parameter : network.layout.parameters) {
        if (parameter.trainable) {
            f(parameter.offset, parameter.size);
        }
    }
}

// The gradient with an L2 penalty on the parameters; without one it is the gradient itself, whatever the parameter.
template <class Real, bool kDecays>
Real decayed(Real gradient, Real value, Real weight_decay) {
    if constexpr (kDecays) {
        return gradient + weight_decay * value;
    } else {
        return gradient;
    }
}

}  // namespace tenon
