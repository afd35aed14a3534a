// SPDX-License-Identifier: Apache-2.0
// A run in which the policy acts, and its programs on observations of that run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "commands/check/observed.hpp"
#include "commands/check/wired_run.hpp"

namespace tenon {

struct ActingRun {
    std::unique_ptr<WiredRun> run;
    const graph::Unit* policy = nullptr;
    Observed observed;

    [[nodiscard]] Result<std::unique_ptr<Program>> program(Executor& executor, const BuiltProgram& built) const {
        return executor.forward(built.spec(run->seed), run->trainer->learner());
    }
    // The program's outputs on these rows; `first` is the number of the first row.
    [[nodiscard]] Result<Outcome> outputs(Program& program, const BuiltProgram& built, const PortRows& rows,
                                          std::size_t count, std::uint64_t first = 0) const;
    // The outputs of a program that is run only once.
    [[nodiscard]] Result<Outcome> forward(Executor& executor, const BuiltProgram& built, const PortRows& rows,
                                          std::size_t count) const;
};

// Runs the check on at least this many observations. Skipped if the manifest lets another policy act.
Verdict in_acting_run(const CheckSubject& subject, std::size_t rows,
                      const std::function<Verdict(const ActingRun&)>& look);

// The same if the policy is only a part of what acts, such as a trunk.
Verdict in_run_with(const CheckSubject& subject, std::size_t rows,
                    const std::function<Verdict(const ActingRun&)>& look);

}  // namespace tenon
