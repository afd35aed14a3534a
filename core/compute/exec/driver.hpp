// SPDX-License-Identifier: Apache-2.0
// The driver of programs, the same for every executor: chooses the plan of a call, runs its phases, and does what
// happens between them. It reads losses, metrics, controls and outputs, skips an update or a minibatch that is not
// finite, gathers the gradients of several minibatches, and steps the due stages (stage_step.hpp).
#pragma once

#include <memory>
#include <vector>

#include "base/thread/pool.hpp"
#include "compute/exec/phased.hpp"
#include "compute/exec/print_line.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

// Without stages it is a program without gradients. `print` receives the output of print nodes; null: it is dropped.
// Threads of the pool share the steps of stages; null: none do. Copies the spec's graph. The problem names what the
// executor or the learner lacks.
Result<std::unique_ptr<Program>> drive(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                       std::unique_ptr<Phased> phased, PrintLine print, Pool* pool = nullptr);

}  // namespace tenon
