// SPDX-License-Identifier: Apache-2.0
// Where a round stands that is left in its middle. With it a checkpoint of that moment is as good as one between
// rounds.
#pragma once

#include <cstdint>

namespace tenon {

// Asked between steps and between updates: whether whoever drives the loop wants it back now.
using StopAsked = bool (*)() noexcept;
inline bool never_stops() noexcept {
    return false;
}

// More rows than that may take as long as a round should, so that their computation is given up where the loop is
// wanted back; to ask in the middle of fewer would cost more than it helps.
inline constexpr std::int64_t kManyRows = 8192;

struct RoundPosition {
    bool begun = false;  // and not ended
    bool collected = false;
    std::int64_t steps = 0;  // that have been collected

    // Learning from a buffer.
    std::int64_t due = -1;  // updates that are left; -1: not counted yet

    // Learning from the collected batch.
    std::int64_t epoch = 0;
    std::int64_t minibatch = 0;  // of this epoch, the next one
    std::int64_t shuffled = -1;  // the counter that this epoch is shuffled by; -1: it has not begun
    bool stopped = false;        // a control of an update has ended the epochs
};

}  // namespace tenon
