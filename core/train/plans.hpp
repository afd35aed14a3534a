// SPDX-License-Identifier: Apache-2.0
// [optimiser] and [target] as plans for executors, their numbers among the run's live values.
#pragma once

#include <string_view>

#include "error/problem.hpp"
#include "learn/optimiser.hpp"
#include "learn/target.hpp"
#include "train/live.hpp"

namespace tenon {

// Whether the option is one of [optimiser], [optimiser.STAGE] or [target]: which of them a run has is known when its
// stages are.
bool is_of_host(std::string_view option);

// Both ends of such a schedule against the range of its key.
void check_host_schedule(const Manifest& manifest, const ScheduleTable& schedule, Problems& problems);

// The optimiser of a stage with its numbers among the live values. Stages share the numbers that they have from
// [optimiser].
OptimiserPlan add_optimiser(LiveValues& live, const Manifest& manifest, std::string_view stage);
TargetPlan add_target(LiveValues& live, const Manifest& manifest);

}  // namespace tenon
