// SPDX-License-Identifier: Apache-2.0
// Asynchronous successive halving (Li et al. 2020): which trial runs next, and how far. A rung is a length at which
// trials are compared; the best share of those that have reached a rung may go on to the next one, at any time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tenon {

// A trial at a rung.
struct RungResult {
    std::size_t trial = 0;
    std::size_t rung = 0;
    bool ended = false;  // false: it is still running
    double loss = 0;     // smaller is better; NaN: it failed
};

struct HalvingStep {
    std::size_t trial = 0;
    std::size_t rung = 0;  // 0: a new trial
};

// The next step after these results; nothing: none before others have ended. From the highest rung down, the best trial
// that is among the best `ended / factor` of its rung and has not gone on; else trial number `begun`, if there are
// more.
std::optional<HalvingStep> halving_step(std::span<const RungResult> results, std::size_t rungs, std::size_t factor,
                                        std::size_t begun, std::size_t trials);

}  // namespace tenon
