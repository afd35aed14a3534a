// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, lowered for one lane: what an exported file computes.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/compiled/specialised.hpp"
#include "plugins/plugin/search_path.hpp"
#include "run/start/notice.hpp"
#include "run/start/setup.hpp"
#include "train/progress/standing.hpp"

namespace tenon {

struct ExportRequest {
    std::filesystem::path folder;           // of the run
    std::optional<std::string> checkpoint;  // as in ScoringRequest
    std::vector<SearchFolder> plugins;
};

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
std::unique_ptr<ActingPolicy> open_policy(const ExportRequest& request, const Notice& notice, Problems& problems);

}  // namespace tenon
