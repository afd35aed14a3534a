// SPDX-License-Identifier: Apache-2.0
// [schedule] as the run moves by it.
#pragma once

#include <cstdint>

#include "error/problem.hpp"
#include "learn/schedule.hpp"
#include "manifest/manifest.hpp"
#include "option/schema.hpp"

namespace tenon {

// Nothing where the manifest does not move the option.
const ScheduleTable* schedule_of(const Manifest& manifest, std::string_view option);

// `own` is what the option is without the schedule.
Schedule make_schedule(const Manifest& manifest, const ScheduleTable& table, double own, std::uint32_t index);

// Every end of every piece against the range of the option, and what its kind needs of them.
void check_schedule(const Manifest& manifest, const ScheduleTable& table, const OptionSchema& option, double own,
                    Problems& problems);

}  // namespace tenon
