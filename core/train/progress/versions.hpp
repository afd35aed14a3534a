// SPDX-License-Identifier: Apache-2.0
// How old the parameters that act are, if they are a separate version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon {

struct ActingVersions {
    // The number of updates that each version contains: first the one that acts, then those that wait.
    std::vector<std::int64_t> updates = {0};
    std::int64_t behind = 0;  // the most updates that the newest round's parameters lacked

    void lag(std::int64_t rounds) { updates.resize(static_cast<std::size_t>(rounds) + 1); }
    [[nodiscard]] std::int64_t acting() const { return updates.front(); }

    // Call it with advance_behaviour, which moves the parameters.
    void advance(std::int64_t made) {
        std::ranges::rotate(updates, updates.begin() + 1);
        updates.back() = made;
    }
};

}  // namespace tenon
