// SPDX-License-Identifier: Apache-2.0
// Where a run stands, and the numbers that its programs read there. A checkpoint holds it, so that whoever plays the
// checkpoint's policy gives it the numbers that training gave it.
#pragma once

#include <cstdint>

#include "train/run_numbers.hpp"
#include "train/wiring.hpp"

namespace tenon {

// With the storage, the learner, lanes and episodes it is all that a checkpoint holds.
struct Standing {
    std::int64_t frames = 0;          // env steps summed over lanes
    std::int64_t steps = 0;           // of all lanes together: the counter of acting
    std::int64_t updates = 0;         // the counter of sampling, shuffling and of the update's draws
    std::int64_t left_out = 0;        // minibatches that were not finite
    double best_return = 0;           // of evaluations
    std::int64_t best_position = -1;  // -1: none yet
};

// How far the run is, in what it counts itself in (manifest/pace.hpp).
[[nodiscard]] std::int64_t position_of(const Manifest& manifest, const Standing& standing);

// Moves the live values to where the schedules have them there.
void move_schedules(Wiring& wiring, const Standing& standing);

// The counters and the live values as they are now; these are borrowed.
[[nodiscard]] RunNumbers numbers_at(const Wiring& wiring, const Standing& standing);

}  // namespace tenon
