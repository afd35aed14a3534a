// SPDX-License-Identifier: Apache-2.0
// Reports what a run that was asked to stop is waiting for. The loop's thread is the one that waits, so a separate
// thread reports.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace tenon {

// During its lifetime, together with StopSignals: if a run has not ended kPatience after the request, it prints to
// stderr which plugin call has not returned, and what a second signal does.
class StopReport {
public:
    // `others`: threads that call plugins, other than the one that runs the loop, which must make the report. `unit`:
    // the unit of the run's length. `terminal`: there may be a progress line, which is erased first.
    StopReport(std::vector<pthread_t> others, std::string unit, bool terminal);
    ~StopReport();
    StopReport(const StopReport&) = delete;
    StopReport& operator=(const StopReport&) = delete;

    // The position of the newest checkpoint, for the message; -1: nothing is saved yet.
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
