// SPDX-License-Identifier: Apache-2.0
// The stages of an update: their networks and optimisers, from the objective and the manifest together.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/problem.hpp"
#include "compute/exec/program.hpp"
#include "compute/graph/graph.hpp"
#include "train/plan/live.hpp"
#include "train/plan/programs.hpp"

namespace tenon {

// The roles whose live parameters the stage's losses depend on, in the order of the layouts.
std::vector<std::string> networks_of(const graph::Graph& graph, std::uint32_t stage, const Layouts& layouts);

// One plan per stage of the graph. A stage that names no owner owns every network that its losses depend on; no stage
// owns a frozen network. Adds the optimisers' numbers to the live values. objective: its name, if there are several.
std::vector<StagePlan> plan_stages(const graph::Graph& graph, std::string_view objective, const Layouts& layouts,
                                   const Manifest& manifest, LivePlan& live, Problems& problems);

// The stages of an objective's update.
struct PlannedStages {
    std::string name;  // as in plan_stages
    const graph::Graph* graph = nullptr;
    const std::vector<StagePlan>* plans = nullptr;
};

// Whether every network that an objective reads is trained by one of them, and every [optimiser.STAGE] belongs to one.
void check_stages(std::span<const PlannedStages> objectives, const Layouts& layouts, const Manifest& manifest,
                  Problems& problems);

}  // namespace tenon
