// SPDX-License-Identifier: Apache-2.0
// The run in which a graph is checked: wired by a manifest, in float64, on the reference executor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "commands/check/check.hpp"
#include "compute/exec/outcome.hpp"
#include "run/start/setup.hpp"
#include "train/loop/trainer.hpp"

namespace tenon {

struct WiredRun {
    Setup setup;
    std::uint64_t seed = 0;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;

    // Wires the run without starting it.
    static Result<std::unique_ptr<WiredRun>> open(const CheckSubject& subject);
    // Starts the run, with an executor, initial weights and running episodes.
    static Result<std::unique_ptr<WiredRun>> start(const CheckSubject& subject);
    Status start();

    [[nodiscard]] const Wiring& wiring() const { return *setup.wiring; }
    // Only the compiled executor; a program that it cannot compile is a problem.
    [[nodiscard]] Result<std::unique_ptr<Executor>> compiling() const;

    struct Rows {
        std::span<const void* const> inputs;
        Sizes sizes;
        std::uint64_t counter = 0;
        std::uint64_t first = 0;  // the number of the first row, for random numbers
    };
    // Runs the program on these rows, with all outputs.
    [[nodiscard]] Outcome try_out(Program& program, const BuiltProgram& built, std::span<const StagePlan> stages,
                                  const Rows& rows) const;
};

// A mistake in the manifest says nothing about the plugin.
Verdict not_wired(const Problem& problem);

// A skip for a program that cannot be compiled: a run computes it with the reference executor.
Verdict no_compiled_form(const Problem& problem);

}  // namespace tenon
