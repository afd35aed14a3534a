// SPDX-License-Identifier: Apache-2.0
// The schedules of [schedule] for a run.
#pragma once

#include <cstdint>

#include "base/error/problem.hpp"
#include "compute/parameters/schedule.hpp"
#include "config/manifest/manifest.hpp"
#include "config/option/schema.hpp"

namespace tenon {

// Null if the manifest has no schedule for the option.
const ScheduleTable* schedule_of(const Manifest& manifest, std::string_view option);

// `own` is the option's value without the schedule.
Schedule make_schedule(const Manifest& manifest, const ScheduleTable& table, double own, std::uint32_t index);

// Checks every end of every piece against the option's range, and the requirements of each kind of piece.
void check_schedule(const Manifest& manifest, const ScheduleTable& table, const OptionSchema& option, double own,
                    Problems& problems);

}  // namespace tenon
