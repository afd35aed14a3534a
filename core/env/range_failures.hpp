// SPDX-License-Identifier: Apache-2.0
// Problems of lane ranges that ran at the same time. It reports the problem of the first range, not of the first
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "error/result.hpp"

namespace tenon {

// Small enough to distribute a few hundred lanes over threads, and large enough that the work of a fast env exceeds the
// cost of distributing it.
inline constexpr std::uint32_t kLaneGrain = 64;

class RangeFailures {
public:
    void prepare(std::uint32_t lanes) { problems_.resize((lanes + kLaneGrain - 1) / kLaneGrain); }

    // The problem of the range that begins at lane `first`. Several ranges may fail at the same time.
    void record(std::uint64_t first, Problem problem) {
        problems_[first / kLaneGrain] = std::move(problem);
        failed_.store(true, std::memory_order_relaxed);
    }

    // The first range's problem, when all ranges have ended. Clears all problems.
    Status take() {
        if (!failed_.load(std::memory_order_relaxed)) {
            return {};
        }
        failed_.store(false, std::memory_order_relaxed);
        Status first;
        for (std::optional<Problem>& problem : problems_) {
            std::optional<Problem> taken = std::exchange(problem, std::nullopt);
            if (first && taken) {
                first = *std::move(taken);
            }
        }
        return first;
    }

private:
    std::vector<std::optional<Problem>> problems_;  // [range]
    std::atomic<bool> failed_{false};
};

}  // namespace tenon
