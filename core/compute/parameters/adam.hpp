// SPDX-License-Identifier: Apache-2.0
// The numbers of one step of Adam, for a device that makes the step.
#pragma once

#include <cstdint>
#include <span>

#include "compute/parameters/adam_step.hpp"
#include "compute/parameters/optimiser.hpp"

namespace tenon {

// `steps` includes this one.
AdamNumbers<float> adam_numbers(const AdamPlan& plan, std::span<const double> live, std::int64_t steps);
Decay adam_decay(const AdamPlan& plan, std::span<const double> live);

}  // namespace tenon
