// SPDX-License-Identifier: Apache-2.0
// How far a run is, also inside of an interrupted round. With the data that it works on, a checkpoint needs nothing
// else to continue it: one in the middle of a round is as good as one between rounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "train/progress/standing.hpp"

namespace tenon {

// How old the parameters that act are, if they are a separate version.
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

// Called between steps and between updates: whether to return to the caller now.
using StopAsked = bool (*)() noexcept;
inline bool never_stops() noexcept {
    return false;
}

// A computation on more rows may take as long as a round should, so it can be given up. Checking more often would cost
// more than it gains.
inline constexpr std::int64_t kManyRows = 8192;

// A part of a round that collects while it learns. The parameters that act stay the same within it, and it ends when
// its steps and its updates have been made.
struct RoundPart {
    bool begun = false;
    std::int64_t steps = 0;    // of the round, when it ends
    std::int64_t updates = 0;  // of the run, when it ends
};

// The position inside an interrupted round.
struct RoundPosition {
    bool begun = false;  // begun and not finished
    bool collected = false;
    std::int64_t steps = 0;   // collected so far
    std::int64_t frames = 0;  // completed by these steps; if they are collected async, the run counts them at its end
    std::size_t unit = 0;     // the learning unit whose turn it is
    RoundPart part = {};
};

// A number of updates that means no limit.
inline constexpr std::int64_t kAllUpdates = std::numeric_limits<std::int64_t>::max();

// How far a learning unit is.
struct UnitProgress {
    std::int64_t updates = 0;  // the counter of sampling, shuffling and the update's random numbers
    std::int64_t rounds = 0;   // including those in which it did not learn
    std::uint64_t stored = 0;  // steps of its buffer, of all that it has ever had, whose columns it has computed

    // In the present round.
    struct InRound {
        // Learning from a buffer.
        std::int64_t due = -1;  // remaining updates; -1: not counted yet

        // Learning from the collected batch.
        std::int64_t epoch = 0;
        std::int64_t minibatch = 0;  // the next one in this epoch
        std::int64_t shuffled = -1;  // counter of this epoch's shuffle; -1: the epoch has not begun
        bool stopped = false;        // a control of an update has ended the epochs
    };
    InRound round = {};
};

struct RunProgress {
    Standing standing = {};
    RoundPosition round = {};
    ActingVersions versions = {};
    std::vector<UnitProgress> units = {};  // in the order in which they learn
};

}  // namespace tenon
