// SPDX-License-Identifier: Apache-2.0
// A program that has been compiled.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "exec/print_line.hpp"
#include "exec/program.hpp"
#include "thread/pool.hpp"

namespace tenon::compiled {

// With every stage due and every column given, for few rows. Without stages: a program without gradients. The problem
// is what has no compiled form.
Status check_compiles(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// What programs have around them.
struct Setting {
    Pool* pool = nullptr;          // what large pieces of work are shared with, which must outlive them; null: nobody
    std::filesystem::path dump{};  // the folder where they leave what they have become (dump.hpp); empty: none
    PrintLine print = nullptr;     // null: what a graph prints is not seen
};

// `reference` is the same program, which says what was wrong where something went wrong.
std::unique_ptr<Program> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                      std::shared_ptr<Program> reference, const Setting& setting = {});

}  // namespace tenon::compiled
