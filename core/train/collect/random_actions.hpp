// SPDX-License-Identifier: Apache-2.0
// Draws actions uniformly from their spec, respecting masks, for the first frames of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/data/action_mask.hpp"
#include "base/data/spec.hpp"
#include "experience/replay/storage.hpp"
#include "tenon/abi/random.h"

namespace tenon {

class RandomActions {
public:
    RandomActions(const Composite& specs, std::uint64_t seed);

    // Fills every action column at the storage's head; the result depends only on counter and lane.
    void act(const Storage& storage, std::uint64_t counter) const;

private:
    struct Column {
        Spec spec;
        std::optional<ActionMask> mask;
    };
    std::vector<Column> actions_;
    tn_key key_;
};

}  // namespace tenon
