// SPDX-License-Identifier: Apache-2.0
// A program that has been compiled.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "exec/program.hpp"
#include "thread/pool.hpp"

namespace tenon::compiled {

// With every stage due and every column given, for few rows. Without stages: a program without gradients. The problem
// is what has no compiled form.
Status check_compiles(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// `reference` is the same program, which says what was wrong where something went wrong. `pool`: executor.hpp. `dump`:
// the folder where it leaves what it has become (dump.hpp); empty: none.
std::unique_ptr<Program> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                      std::shared_ptr<Program> reference, Pool* pool = nullptr,
                                      std::filesystem::path dump = {});

}  // namespace tenon::compiled
