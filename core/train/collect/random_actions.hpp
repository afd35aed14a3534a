// SPDX-License-Identifier: Apache-2.0
// Draws actions uniformly from their spec, respecting masks, for the first frames of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/data/action_mask.hpp"
#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/random.h"
#include "train/collect/lane_share.hpp"

namespace tenon {

class RandomActions {
public:
    RandomActions(const Composite& specs, std::uint64_t seed, LaneShare share = {});

    // Fills every action column at the storage's head; the result depends only on counter and lane.
    void act(const Storage& storage, std::uint64_t counter) const;
    // The same for these lanes.
    void act(const Storage& storage, std::uint64_t counter, std::span<const std::uint32_t> lanes) const;

private:
    struct Column {
        Spec spec;
        std::optional<ActionMask> mask;
    };
    template <class Lanes>
    void draw_rows(const Storage& storage, std::uint64_t counter, const Lanes& lanes) const;

    std::vector<Column> actions_;
    tn_key key_;
    LaneShare share_;
};

}  // namespace tenon
