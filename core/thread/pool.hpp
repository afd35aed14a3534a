// SPDX-License-Identifier: Apache-2.0
// The run's threads. Work is cut by its size alone wherever a cut could be seen in a result, so that results do not
// depend on how many threads there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tenon {

class Pool {
public:
    using Body = void (*)(void* arg, std::uint64_t first, std::uint64_t count);

    // The caller of parallel_for is one of the threads: 1 (or 0) starts none.
    explicit Pool(unsigned threads);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    // Calls body(arg, first, count) for first = 0, grain, 2 grain, ... below n, count = grain but for the last, on any
    // of the threads, and returns when all have returned. A grain of 0 counts as 1. Called from a body, or while
    // another thread is inside, it makes the same calls one after the other. Allocates nothing, takes no lock. An
    // exception of a body, memory that it did not get say, leaves parallel_for in the caller's thread once all bodies
    // have returned; of several the first one, and calls that had not begun may have been left out.
    void parallel_for(std::uint64_t n, std::uint64_t grain, Body body, void* arg);

    // Those that are not the caller's, as long as the pool lives.
    [[nodiscard]] std::vector<std::thread::native_handle_type> workers();
    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

private:
    struct Job {
        std::uint64_t n = 0;
        std::uint64_t grain = 1;
        Body body = nullptr;
        void* arg = nullptr;
    };

    void work();
    void work_on_chunks();
    void worker_main();
    bool enter();
    void leave();
    void wait_for_new_epoch(std::uint32_t seen);

    Job job_;  // written only while the gate is closed and nobody is inside
    alignas(64) std::atomic<std::uint64_t> next_{0};
    // kOpen while there is a job to join, plus the number of workers inside. A worker that wakes up too late finds the
    // gate closed and is not waited for.
    alignas(64) std::atomic<std::uint32_t> gate_{0};
    alignas(64) std::atomic<std::uint32_t> epoch_{0};  // what sleeping workers wait on: changes with each job
    std::atomic<bool> busy_{false};
    std::atomic<bool> failed_{false};  // a body of the current job has thrown
    std::exception_ptr failure_;       // what it threw
    std::atomic<bool> stop_{false};
    int spins_;
    std::vector<std::thread> workers_;
};

}  // namespace tenon
