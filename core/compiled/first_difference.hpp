// SPDX-License-Identifier: Apache-2.0
// Which node two executors disagree on: both are asked for the value of every node of the program and its gradients.
#pragma once

#include <optional>
#include <span>

#include "error/problem.hpp"
#include "exec/program.hpp"

namespace tenon::compiled {

// The first node, in the order in which they are computed, at its author's line. Nothing where no single value differs.
std::optional<Problem> first_difference(Executor& ours, Executor& theirs, const ProgramSpec& spec,
                                        std::span<const StagePlan> stages, Learner& learner, const Call& call);

}  // namespace tenon::compiled
