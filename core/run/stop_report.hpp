// SPDX-License-Identifier: Apache-2.0
// What a run that was asked to stop still waits for. The thread that could say so is the one that waits, so another
// one does.
#pragma once

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "run/signals.hpp"
#include "thread/pool.hpp"

namespace tenon {

// While one lives, next to StopSignals: a run that has not left kPatience after it was asked to is told about on
// stderr, with the plugin's call that has not come back, and what a second signal does.
class StopReport {
public:
    // `unit`: what the run counts itself in. `terminal`: a progress line may stand there and is taken away. Made by the
    // thread that runs the loop.
    StopReport(Pool& pool, std::string unit, bool terminal);
    ~StopReport();
    StopReport(const StopReport&) = delete;
    StopReport& operator=(const StopReport&) = delete;

    // For the sentence; -1: nothing is saved yet.
    void saved(std::int64_t position) { saved_.store(position, std::memory_order_relaxed); }
    void writes_checkpoint(bool writes) { writes_.store(writes, std::memory_order_relaxed); }

private:
    void watch();
    void say() const;

    std::vector<pthread_t> threads_;
    std::string unit_;
    bool terminal_;
    std::atomic<std::int64_t> saved_{-1};
    std::atomic<bool> writes_{false};
    std::binary_semaphore left_{0};
    std::thread watcher_;
};

}  // namespace tenon
