// SPDX-License-Identifier: Apache-2.0
// The progress of a run, and the numbers that its programs read at that point. A checkpoint contains it, so that
// playing its policy uses the same numbers as training did.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compute/exec/call.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// The best evaluations of a run, best first.
struct Ranked {
    std::int64_t position = 0;  // of the run at the evaluation
    double score = 0;
};

// Adds an evaluation, and keeps the best `keep`. Of equal scores the older one is better.
inline void rank(std::vector<Ranked>& best, const Ranked& evaluated, std::size_t keep) {
    const auto place = std::ranges::find_if(best, [&](const Ranked& other) { return other.score < evaluated.score; });
    best.insert(place, evaluated);
    best.resize(std::min(best.size(), std::max<std::size_t>(keep, 1)));
}

// With the storage, the learner, lanes and episodes it is the whole content of a checkpoint.
struct Standing {
    std::int64_t frames = 0;          // env steps summed over lanes
    std::int64_t steps = 0;           // of all lanes together; the counter of acting
    std::int64_t updates = 0;         // of all learning units
    std::int64_t left_out = 0;        // skipped minibatches, which were not finite
    double best_return = 0;           // of evaluations
    std::int64_t best_position = -1;  // -1: none yet
    std::int64_t since_best = 0;      // evaluations after the best one
    std::vector<Ranked> ranked;       // the best evaluations, of which checkpoints are kept
    std::vector<double> moved;        // by hooks, as LivePlan::moved: their present values
};

// The progress of the run in its own unit (manifest/pace.hpp).
[[nodiscard]] std::int64_t position_of(const Manifest& manifest, const Standing& standing);

// " (frame N)", for the end of a sentence.
[[nodiscard]] std::string at_frame(const Standing& standing);

// Sets the live values according to the schedules, and those that hooks have moved.
void move_schedules(const LivePlan& plan, const Standing& standing, std::span<double> live);
// The live values at that point of the run.
[[nodiscard]] std::vector<double> live_at(const LivePlan& plan, const Standing& standing);

// The present counters and live values; the latter are borrowed.
[[nodiscard]] RunNumbers numbers_at(const Wiring& wiring, const Standing& standing, std::span<const double> live);

// The number of steps that all lanes make together in a round.
[[nodiscard]] std::int64_t steps_of_round(const Manifest& manifest);

}  // namespace tenon
