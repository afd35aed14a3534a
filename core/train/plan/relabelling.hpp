// SPDX-License-Identifier: Apache-2.0
// Goals from hindsight whose rows the env itself judges (buffer.relabel_by = "env").
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "experience/env/goal_judge.hpp"
#include "train/plan/buffer_plan.hpp"

namespace tenon {

class Lanes;
struct Wiring;

// Nothing for a buffer whose rows the env does not judge.
Result<std::optional<GoalJudge>> make_goal_judge(const Wiring& wiring, const BufferPlan& buffer);

// Reports buffers whose sampler does not relabel, and an env that cannot judge, or whose rows are not stored as it has
// written them. Requires the env's columns.
void check_relabelling(const Wiring& wiring, const Lanes& lanes, Problems& problems);

// Reports buffers whose rows an env judges in vain, because no objective reads what it changes. Requires the
// objectives' programs.
void check_relabelled_is_read(const Wiring& wiring, Problems& problems);

}  // namespace tenon
