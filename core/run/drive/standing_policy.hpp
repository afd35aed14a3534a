// SPDX-License-Identifier: Apache-2.0
// The networks of a checkpoint with everything that acting needs. Driving and serving a policy begin with it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/error/problem.hpp"
#include "compute/exec/call.hpp"
#include "run/sessions/scoring.hpp"
#include "run/start/notice.hpp"
#include "run/start/setup.hpp"

namespace tenon {

// Members refer to earlier ones.
struct StandingPolicy {
    Setup setup;
    std::filesystem::path checkpoint;
    std::int64_t frames = 0;  // of the checkpoint
    std::unique_ptr<Executor> executor;
    std::optional<Learner> learner;
    std::vector<double> live;  // this and the next: of the run at the checkpoint
    RunNumbers numbers;
    std::uint64_t seed = 0;

    [[nodiscard]] const Wiring& wiring() const { return *setup.wiring; }
};

// Opens the checkpoint that the request names (folder, checkpoint, seed, actions, plugins). `done` describes the
// purpose: "served". A policy that is a procedure is a problem.
std::unique_ptr<StandingPolicy> open_standing_policy(const ScoringRequest& request, std::string_view done,
                                                     const Notice& notice, Problems& problems);

// Gives the policy the weights and numbers of another checkpoint of its run.
Status move_to(StandingPolicy& policy, const std::filesystem::path& checkpoint);

}  // namespace tenon
