// SPDX-License-Identifier: Apache-2.0
// The options that hooks move: checks them, and makes them live.
#pragma once

#include <string>
#include <string_view>

#include "base/error/problem.hpp"
#include "train/plan/live.hpp"

namespace tenon {

// The part whose table has this path; null if there is none.
const Part* find_part_at(const Parts& parts, std::string_view path);

// Makes an option that the hook `by` at `place` moves live. Refuses options that do not exist, cannot change, or are
// changed by a schedule or another hook. Call it before anything reads the live values.
void add_moved(LivePlan& live, const Manifest& manifest, const Parts& parts, MovedOption option, Problems& problems);

// Finds the live value of each moved option. Call it when all numbers have been added. Reports options of the host that
// the run does not have.
void complete_moved(LivePlan& live, Problems& problems);

// Why the value is not acceptable, as the end of a sentence ("outside [0,1]"); empty: it is.
std::string fault_of_value(const MovedOption& option, double value);

}  // namespace tenon
