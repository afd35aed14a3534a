// SPDX-License-Identifier: Apache-2.0
// Finds the node on which two executors disagree, by comparing the values of all nodes of the program and its
// gradients.
#pragma once

#include <optional>
#include <span>

#include "base/error/problem.hpp"
#include "compute/exec/program.hpp"

namespace tenon::compiled {

// The first such node in the order of computation, at its author's line. Nothing if no single value differs.
std::optional<Problem> first_difference(Executor& ours, Executor& theirs, const ProgramSpec& spec,
                                        std::span<const StagePlan> stages, Learner& learner, const Call& call);

}  // namespace tenon::compiled
