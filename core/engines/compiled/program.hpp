// SPDX-License-Identifier: Apache-2.0
// A compiled program.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "base/device/device.hpp"
#include "base/thread/pool.hpp"
#include "compute/exec/print_line.hpp"
#include "compute/exec/program.hpp"
#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

// Tries every stage and every column, for few rows. Without stages it is a program without gradients. The problem says
// what has no compiled form.
Status check_compiles(const ProgramSpec& spec, std::span<const StagePlan> stages, const Learner& learner);

// Compiles the program that check_compiles tries. `plan` receives the plan, which must outlive the result. `has_room`:
// as in Request.
Result<std::unique_ptr<Specialised>> try_compiling(const ProgramSpec& spec, std::span<const StagePlan> stages,
                                                   const Learner& learner, PhasePlan& plan, HasRoom has_room = nullptr);

// What a program needs from outside.
struct Setting {
    Pool* pool = nullptr;                      // shares large operations; must outlive the programs; null: no threads
    std::filesystem::path dump{};              // folder for dumps of compiled programs (dump.hpp); empty: none
    PrintLine print = nullptr;                 // null: output of print nodes is dropped
    std::shared_ptr<Device> device = nullptr;  // computes updates that have kernels; null: all are on the CPU
    bool reference_on_device = false;          // the reference executor, too, computes updates on it
    Exchange* exchange = nullptr;              // of a shard: a watched executor loses trust when another shard does
};

// `reference` is the same program; it explains failures. The problem names what the learner lacks.
Result<std::unique_ptr<Program>> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, Learner& learner,
                                              std::shared_ptr<Program> reference, const Setting& setting = {});

}  // namespace tenon::compiled
