// SPDX-License-Identifier: Apache-2.0
// The numbers of one step of each optimiser, for a device that makes the step.
#pragma once

#include <cstdint>
#include <span>

#include "compute/parameters/adam_step.hpp"
#include "compute/parameters/lamb_step.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/rmsprop_step.hpp"
#include "compute/parameters/sgd_step.hpp"

namespace tenon {

// `steps` includes this one.
AdamNumbers<float> step_numbers(const AdamPlan& plan, std::span<const double> live, std::int64_t steps);
SgdNumbers<float> step_numbers(const SgdPlan& plan, std::span<const double> live, std::int64_t steps);
RmspropNumbers<float> step_numbers(const RmspropPlan& plan, std::span<const double> live, std::int64_t steps);
LambNumbers<float> step_numbers(const LambPlan& plan, std::span<const double> live, std::int64_t steps);

Decay adam_decay(const AdamPlan& plan, std::span<const double> live);

}  // namespace tenon
