// SPDX-License-Identifier: Apache-2.0
// How far a collected batch goes in each lane: so many steps, or whole episodes. Lanes with whole episodes play equally
// many each, so that short ones are not preferred; one that is through goes on, unlearnt from, until the others are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "error/result.hpp"
#include "replay/storage.hpp"
#include "tenon/abi/state.h"

namespace tenon {

class BatchExtent {
public:
    // Steps of every lane; with episodes above 0 so many of each lane, in `steps` at most.
    BatchExtent(std::uint32_t lanes, std::uint32_t steps, std::int64_t episodes);

    [[nodiscard]] bool by_episodes() const { return episodes_ > 0; }
    [[nodiscard]] bool complete() const { return open_ == 0; }
    // Transitions that were collected of each lane, learnt from or not.
    [[nodiscard]] std::uint32_t steps() const { return taken_; }
    // [lanes] Of these, from slot 0 on, the ones to learn from.
    [[nodiscard]] std::span<const std::uint32_t> lengths() const { return lengths_; }

    // A new batch begins at slot 0, by episodes with a new one in every lane.
    void begin();
    // Takes in the step before the storage's head.
    void record(const Storage& storage);

    [[nodiscard]] Status save(const tn_writer& writer) const;
    Status load(const tn_reader& reader);

private:
    std::uint32_t most_;
    std::int64_t episodes_;
    std::uint32_t taken_ = 0;
    std::uint32_t open_ = 0;          // lanes that are not through
    std::vector<std::int64_t> left_;  // episodes of each lane
    std::vector<std::uint32_t> lengths_;
};

}  // namespace tenon
