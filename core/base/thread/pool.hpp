// SPDX-License-Identifier: Apache-2.0
// The run's threads. If the split of work can affect a result, it depends only on the size of the work, so that results
// do not depend on the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tenon {

class Pool {
public:
    using Body = void (*)(void* arg, std::uint64_t first, std::uint64_t count);

    // The caller of parallel_for is one of the threads: 1 (or 0) starts none. Has fewer if the system starts no more.
    explicit Pool(unsigned threads);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    // Calls body(arg, first, count) for first = 0, grain, 2 grain, ... below n, with count = grain except for the last,
    // on any of the threads, and returns when all calls have returned. A grain of 0 counts as 1. Each thread begins
    // with the same part of the calls every time, so that calls of one cut find their memory in the cache of their
    // processor; one that has finished its own part takes what the others have not begun. If it is called from a body,
    // or while another thread is inside, it makes the same calls serially. Allocates nothing and takes no lock. An
    // exception of a body, for example bad_alloc, is thrown in the caller's thread when all bodies have returned; if
    // there are several, the first one is thrown, and calls that had not begun may be skipped.
    void parallel_for(std::uint64_t n, std::uint64_t grain, Body body, void* arg);

    // All threads except the caller's, valid as long as the pool lives.
    [[nodiscard]] std::vector<std::thread::native_handle_type> workers();
    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(workers_.size()) + 1; }

private:
    struct Job {
        std::uint64_t n = 0;
        std::uint64_t grain = 1;
        Body body = nullptr;
        void* arg = nullptr;
    };

    // The chunks that one thread begins with.
    struct alignas(64) Part {
        std::atomic<std::uint64_t> next{0};
        std::uint64_t end = 0;
    };

    void cut(std::uint64_t chunks);
    void work(std::size_t thread);
    void work_on_parts(std::size_t thread);
    void worker_main(std::size_t thread);
    bool enter();
    void leave();
    void wait_for_new_epoch(std::uint32_t seen);

    Job job_;                  // this and the parts are written only while the gate is closed and no worker is inside
    std::vector<Part> parts_;  // one for each thread
    // kOpen while there is a job to join, plus the number of workers inside. A worker that wakes up too late finds the
    // gate closed, and the caller does not wait for it.
    alignas(64) std::atomic<std::uint32_t> gate_{0};
    alignas(64) std::atomic<std::uint32_t> epoch_{0};  // sleeping workers wait for it; changes with each job
    std::atomic<bool> busy_{false};
    std::atomic<bool> failed_{false};  // a body of the current job has thrown
    std::exception_ptr failure_;       // the exception
    std::atomic<bool> stop_{false};
    bool spins_;
    std::vector<std::thread> workers_;
};

}  // namespace tenon
