// SPDX-License-Identifier: Apache-2.0
// The policy of a checkpoint, for a caller outside of the host that sends observations.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "experience/env/transform_chain.hpp"
#include "run/drive/standing_policy.hpp"
#include "run/sessions/scoring.hpp"
#include "train/collect/actor.hpp"

namespace tenon {

class DrivePolicy {
public:
    // Opens the policy that the request names (folder, checkpoint, seed, actions, plugins), for observations of `lanes`
    // lanes at once. Its observations and actions are those of the env itself: it applies the transforms, with the
    // statistics of the checkpoint.
    static std::unique_ptr<DrivePolicy> open(const ScoringRequest& request, std::uint32_t lanes, Problems& problems);

    // The next observations of the lanes whose byte in mask is 1 (null: all) are the first of their episodes, which
    // resets memories.
    void begin(const std::uint8_t* mask) { storage_->begin_episodes(mask); }
    // Reads the observations at the storage's head, and writes the actions to the same slot.
    Status act();

    [[nodiscard]] const Composite& specs() const { return chain_ ? chain_->inner() : policy_->wiring().env_specs; }
    [[nodiscard]] const Storage& storage() const { return chain_ ? *outside_ : *storage_; }

private:
    DrivePolicy() = default;
    Status make(std::uint32_t lanes);
    Status observe();
    Status invert();

    std::unique_ptr<StandingPolicy> policy_;
    std::optional<Storage> storage_;       // the memory that the policy's program reads and writes
    std::optional<TransformChain> chain_;  // transforms that are code; a lane is a seat
    std::optional<Storage> outside_;       // the memory of the env's side of the chain
    std::optional<Actor> actor_;
    std::uint64_t steps_ = 0;
    std::uint64_t begun_ = 0;  // episodes, for the seeds of transforms
};

}  // namespace tenon
