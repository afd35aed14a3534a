// SPDX-License-Identifier: Apache-2.0
// The episodes that a storage holds, whole ones and pieces.
#pragma once

#include <cstdint>
#include <vector>

#include "experience/replay/storage.hpp"

namespace tenon {

struct StoredEpisode {
    std::uint32_t lane = 0;
    std::uint32_t first = 0;   // slot of its first transition; the others follow, wrapping around
    std::uint32_t length = 0;  // transitions
    bool begins = false;       // the data contains its first transition
    bool terminated = false;
    bool truncated = false;

    [[nodiscard]] bool ends() const { return terminated || truncated; }
    [[nodiscard]] bool is_whole() const { return begins && ends(); }
};

// In the order in which they begin, those of the first lane first.
std::vector<StoredEpisode> episodes_of(const Storage& storage);

// Calls f(slot) for every transition of the episode.
template <class F>
void each_slot(const Storage& storage, const StoredEpisode& episode, F f) {
    std::uint32_t slot = episode.first;
    for (std::uint32_t step = 0; step < episode.length; ++step) {
        f(slot);
        slot = storage.slot_after(slot);
    }
}

}  // namespace tenon
