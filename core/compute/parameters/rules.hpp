// SPDX-License-Identifier: Apache-2.0
// The algorithms of optimiser_step: one file and two functions for each.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "compute/parameters/optimiser.hpp"

namespace tenon {

std::vector<std::string_view> names_of_state(const AdamPlan& plan);
std::vector<std::string_view> names_of_state(const LambPlan& plan);
std::vector<std::string_view> names_of_state(const SgdPlan& plan);
std::vector<std::string_view> names_of_state(const RmspropPlan& plan);

// network.steps includes this step.
void step(Network& network, DType real, const AdamPlan& plan, std::span<const double> live, Pool* pool);
void step(Network& network, DType real, const LambPlan& plan, std::span<const double> live, Pool* pool);
void step(Network& network, DType real, const SgdPlan& plan, std::span<const double> live, Pool* pool);
void step(Network& network, DType real, const RmspropPlan& plan, std::span<const double> live, Pool* pool);

}  // namespace tenon
