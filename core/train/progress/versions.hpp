// SPDX-License-Identifier: Apache-2.0
// How old the parameters that act are, if they are a version of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenon {

struct ActingVersions {
    // How many updates had been made when each version was the newest: of the one that acts, then of those that wait.
    std::vector<std::int64_t> updates = {0};
    std::int64_t behind = 0;  // updates by which the newest round's parameters were older than the newest ones, at most

    void lag(std::int64_t rounds) { updates.resize(static_cast<std::size_t>(rounds) + 1); }
    [[nodiscard]] std::int64_t acting() const { return updates.front(); }

    // As advance_behaviour does with the parameters.
    void advance(std::int64_t made) {
        std::ranges::rotate(updates, updates.begin() + 1);
        updates.back() = made;
    }
};

}  // namespace tenon
