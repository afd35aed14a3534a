// SPDX-License-Identifier: Apache-2.0
#include "base/thread/pool.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <utility>

namespace tenon {
namespace {

constexpr std::uint32_t kOpen = 1U << 31U;

// About 20 microseconds, a few times the cost of waking a thread.
constexpr int kSpins = 1000;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// The main thread handles Ctrl-C. Faults stay unblocked for crash reports.
void block_interrupts() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        sigaddset(&set, number);
    }
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void run_serially(std::uint64_t n, std::uint64_t grain, Pool::Body body, void* arg) {
    for (std::uint64_t first = 0; first < n;) {
        const std::uint64_t count = std::min(grain, n - first);
        body(arg, first, count);
        first += count;
    }
}

}  // namespace

Pool::Pool(unsigned threads) : spins_(threads <= std::thread::hardware_concurrency() ? kSpins : 0) {
    for (unsigned i = 1; i < threads; ++i) {
        workers_.emplace_back([this] { worker_main(); });
    }
}

Pool::~Pool() {
    stop_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (std::thread& worker : workers_) {
        worker.join();
    }
}

std::vector<std::thread::native_handle_type> Pool::workers() {
    std::vector<std::thread::native_handle_type> out(workers_.size());
    std::ranges::transform(workers_, out.begin(), &std::thread::native_handle);
    return out;
}

void Pool::parallel_for(std::uint64_t n, std::uint64_t grain, Body body, void* arg) {
    grain = std::max<std::uint64_t>(grain, 1);
    if (workers_.empty() || n <= grain || busy_.exchange(true, std::memory_order_acquire)) {
        run_serially(n, grain, body, arg);
        return;
    }
    job_ = {.n = n, .grain = grain, .body = body, .arg = arg};
    failed_.store(false, std::memory_order_relaxed);
    next_.store(0, std::memory_order_relaxed);
    gate_.store(kOpen, std::memory_order_release);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    work();
    std::uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
    for (int spin = 0; inside != 0; inside = gate_.load(std::memory_order_acquire)) {
        if (spin < spins_) {
            ++spin;
            relax();
        } else {
            gate_.wait(inside, std::memory_order_acquire);
        }
    }
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    busy_.store(false, std::memory_order_release);
    if (failure) [[unlikely]] {
        std::rethrow_exception(failure);
    }
}

// An exception that escaped from a worker would end the process; one that left the caller early would free data that
// workers still use.
void Pool::work() {
    try {
        work_on_chunks();
    } catch (...) {
        if (!failed_.exchange(true, std::memory_order_relaxed)) {
            failure_ = std::current_exception();  // read after the gate has been closed and all workers have left
        }
    }
}

void Pool::work_on_chunks() {
    const std::uint64_t chunks = job_.n / job_.grain + (job_.n % job_.grain != 0 ? 1 : 0);
    for (;;) {
        const std::uint64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= chunks) {
            return;
        }
        const std::uint64_t first = chunk * job_.grain;
        job_.body(job_.arg, first, std::min(job_.grain, job_.n - first));
    }
}

bool Pool::enter() {
    std::uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate & kOpen) != 0) {
        if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

void Pool::leave() {
    if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        gate_.notify_one();  // the caller has closed the gate and waits for the last worker
    }
}

void Pool::wait_for_new_epoch(std::uint32_t seen) {
    for (int spin = 0; spin < spins_; ++spin) {
        if (epoch_.load(std::memory_order_acquire) != seen) {
            return;
        }
        relax();
    }
    epoch_.wait(seen, std::memory_order_acquire);
}

void Pool::worker_main() {
    block_interrupts();
    std::uint32_t seen = 0;
    while (!stop_.load(std::memory_order_acquire)) {
        if (enter()) {
            work();
            leave();
        }
        wait_for_new_epoch(seen);
        seen = epoch_.load(std::memory_order_acquire);
    }
}

}  // namespace tenon
