// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, which acts on observations of a caller outside.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "run/drive/standing_policy.hpp"
#include "run/sessions/scoring.hpp"
#include "train/collect/actor.hpp"

namespace tenon {

class DrivePolicy {
public:
    // Of the request: folder, checkpoint, seed, actions and plugins. The policy acts for so many observations at once.
    // Its observations are those of the env after its transforms that are graphs; a run whose transforms are procedures
    // is a problem.
    static std::unique_ptr<DrivePolicy> open(const ScoringRequest& request, std::uint32_t lanes, Problems& problems);

    // The next observations of the lanes whose byte in mask is 1 (null: all) are the first of their episodes, which
    // resets memories.
    void begin(const std::uint8_t* mask);
    // Reads the observations at the storage's head, and writes the actions there.
    Status act();

    [[nodiscard]] const Composite& specs() const { return policy_->wiring().env_specs; }
    [[nodiscard]] const Storage& storage() const { return *storage_; }

private:
    DrivePolicy() = default;
    Status make(const ScoringRequest& request, std::uint32_t lanes);

    std::unique_ptr<StandingPolicy> policy_;
    std::optional<Storage> storage_;
    std::optional<Actor> actor_;
    std::uint64_t steps_ = 0;
};

}  // namespace tenon
