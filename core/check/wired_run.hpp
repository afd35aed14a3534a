// SPDX-License-Identifier: Apache-2.0
// The run that a graph is looked at in: as a manifest wires it, in float64, on the reference executor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "check/check.hpp"
#include "compiled/outcome.hpp"
#include "run/setup.hpp"
#include "train/trainer.hpp"

namespace tenon {

struct WiredRun {
    Setup setup;
    std::uint64_t seed = 0;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Trainer> trainer;

    // Wired, and nothing more.
    static Result<std::unique_ptr<WiredRun>> open(const CheckSubject& subject);
    // The executor is there, networks have their first weights and episodes have begun.
    static Result<std::unique_ptr<WiredRun>> start(const CheckSubject& subject);
    Status start();

    [[nodiscard]] Wiring& wiring() const { return *setup.wiring; }
    // The other executor, as the only one of a run: what it cannot compile is a problem.
    [[nodiscard]] Result<std::unique_ptr<Executor>> compiling() const;

    struct Rows {
        std::span<const void* const> inputs;
        Sizes sizes;
        std::uint64_t counter = 0;
        std::uint64_t first = 0;  // the number of the first one, for draws
    };
    // The program's run on these rows; all its outputs are wanted.
    [[nodiscard]] compiled::Outcome try_out(Program& program, const BuiltProgram& built,
                                            std::span<const StagePlan> stages, const Rows& rows) const;
};

// What the manifest is to blame for says nothing about the plugin.
Verdict not_wired(const Problem& problem);

}  // namespace tenon
