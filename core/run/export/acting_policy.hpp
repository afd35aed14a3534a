// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, lowered for one lane: what an exported file computes.
#pragma once

#include <filesystem>
#include <memory>

#include "compute/compiled/specialised.hpp"
#include "run/sessions/opened_run.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

// Members refer to earlier ones.
struct ActingPolicy {
    Setup setup;
    Learner learner;
    std::filesystem::path checkpoint;
    Standing standing;
    PhasePlan plan;
    std::unique_ptr<compiled::Specialised> lowered;

    [[nodiscard]] const Wiring& wiring() const { return *setup.wiring; }
    [[nodiscard]] const BuiltProgram& program() const { return wiring().evaluating(); }
};

// Adds every problem and then returns null. A policy that cannot act alone is one: a procedure, one that reads what a
// transform of the env makes, or one with an operation that is not compiled.
std::unique_ptr<ActingPolicy> open_policy(const RunRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
