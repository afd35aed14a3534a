// SPDX-License-Identifier: Apache-2.0
// [optimiser] and [target] as plans for executors, with their numbers among the run's live values.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error/problem.hpp"
#include "compute/parameters/optimiser.hpp"
#include "compute/parameters/target.hpp"
#include "train/plan/live.hpp"

namespace tenon {

// Whether the option belongs to [optimiser], [optimiser.STAGE] or [target]. Their schedules can be checked only when
// the stages are known.
bool is_of_host(std::string_view option);

// Checks both ends of such a schedule against the range of its key.
void check_host_schedule(const Manifest& manifest, const ScheduleTable& schedule, Problems& problems);

// The optimiser of a stage, with its numbers among the live values. Stages share the numbers that come from
// [optimiser]. objective: its name, if there are several; [optimiser.OBJECTIVE.STAGE] goes before
// [optimiser.OBJECTIVE].
OptimiserPlan add_optimiser(LivePlan& live, const Manifest& manifest, std::string_view objective,
                            std::string_view stage);
TargetPlan add_target(LivePlan& live, const Manifest& manifest);

// Updates between two copies of the network's reference; 0: none.
std::int64_t reference_every(const Manifest& manifest, std::string_view role);

}  // namespace tenon
