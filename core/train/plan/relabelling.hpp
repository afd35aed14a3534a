// SPDX-License-Identifier: Apache-2.0
// Goals in hindsight for which the env itself computes rewards and ends (buffer.relabel_by = "env").
#pragma once

#include <optional>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "experience/env/goal_judge.hpp"
#include "train/plan/buffer_plan.hpp"

namespace tenon {

class Lanes;
struct Wiring;

// Nothing for a buffer whose rows the env does not relabel.
Result<std::optional<GoalJudge>> make_goal_judge(const Wiring& wiring, const BufferPlan& buffer);

// Reports buffers whose sampler does not relabel, and an env that cannot judge, or whose columns are not stored as it
// has written them. Requires the env's columns.
void check_relabelling(const Wiring& wiring, const Lanes& lanes, Problems& problems);

// Reports buffers whose relabelling has no effect, because no objective reads what the env changes. Requires the
// objectives' programs.
void check_relabelled_is_read(const Wiring& wiring, Problems& problems);

}  // namespace tenon
