// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, as an exported file computes it.
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

// What transforms of the lanes do to a column that the policy reads, from the env's side outwards.
struct InputChain {
    std::string key;
    std::vector<ColumnStep> steps;  // not empty
};

// The chain of a column; null if transforms do not change it.
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

// Adds every problem and then returns null. Problems are policies that cannot act without the host: procedures, and
// those that read a column that a transform of the env computes.
std::unique_ptr<ActingPolicy> open_policy(const RunRequest& request, const Notice& notice, Problems& problems);

// Fills plan and lowered. The problem is an operation that cannot be compiled.
Status lower(ActingPolicy& policy);

}  // namespace tenon
