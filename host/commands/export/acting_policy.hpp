// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint: what an exported file computes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compute/exec/phase_plan.hpp"
#include "engines/compiled/exported_program.hpp"
#include "experience/env/column_step.hpp"
#include "run/sessions/opened_run.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

// What transforms of the lanes do with a column that the policy reads, from the env's side outwards.
struct InputChain {
    std::string key;
    std::vector<ColumnStep> steps;  // not empty
};

// Null where transforms leave the column as it is.
inline const InputChain* find_chain(std::span<const InputChain> chains, const std::string& key) {
    const auto found = std::ranges::find(chains, key, &InputChain::key);
    return found == chains.end() ? nullptr : &*found;
}

// Members refer to earlier ones.
struct ActingPolicy {
    Setup setup;
    Learner learner;
    std::filesystem::path checkpoint;
    Standing standing;
    std::vector<double> live;  // values at the checkpoint
    std::vector<InputChain> chains;
    PhasePlan plan;                     // this and the next: of lower()
    compiled::ExportedProgram lowered;  // for one lane

    [[nodiscard]] const Wiring& wiring() const { return *setup.wiring; }
    [[nodiscard]] const BuiltProgram& program() const { return wiring().evaluating(); }
    [[nodiscard]] bool remembers(const std::string& key) const {
        return std::ranges::find(program().remembered, key) != program().remembered.end();
    }
};

// Adds every problem and then returns null. A policy that cannot act alone is one: a procedure, or one that reads what
// a transform of the env makes.
std::unique_ptr<ActingPolicy> open_policy(const RunRequest& request, const Notice& notice, Problems& problems);

// The problem is an operation that is not compiled.
Status lower(ActingPolicy& policy);

}  // namespace tenon
