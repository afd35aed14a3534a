// SPDX-License-Identifier: Apache-2.0
// Problems of lane ranges that ran at the same time. It reports the problem of the first range, not of the first
// thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error/result.hpp"

namespace tenon {

class RangeFailures {
public:
    // The problem of the range that begins at lane `first`. Several ranges may fail at the same time.
    void record(std::uint64_t first, Problem problem) {
        const std::scoped_lock lock(mutex_);
        problems_.emplace_back(first, std::move(problem));
        failed_.store(true, std::memory_order_relaxed);
    }

    // The first range's problem, when all ranges have ended. Clears all problems.
    Status take() { return failed_.load(std::memory_order_relaxed) ? take_first() : Status(); }

private:
    [[gnu::noinline]] Status take_first() {
        failed_.store(false, std::memory_order_relaxed);
        auto problems = std::exchange(problems_, {});
        return std::move(std::ranges::min_element(problems, {}, &std::pair<std::uint64_t, Problem>::first)->second);
    }

    std::mutex mutex_;
    std::vector<std::pair<std::uint64_t, Problem>> problems_;
    std::atomic<bool> failed_{false};
};

}  // namespace tenon
