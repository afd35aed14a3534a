// SPDX-License-Identifier: Apache-2.0
#include "base/thread/pool.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/thread/interrupts.hpp"
#include "base/thread/relax.hpp"

namespace tenon {
namespace {

constexpr std::uint32_t kOpen = 1U << 31U;

// What a thread waits for usually comes within the serial work between two jobs of an update, and waking a thread costs
// more than spinning for some of it.
constexpr std::chrono::microseconds kSpinning{100};

// Returns whether `done` became true while spinning. Looks at the clock now and then, because the time that `relax`
// takes differs greatly between processors.
template <class Done>
bool spin_until(const Done& done) {
    constexpr int kLooks = 64;
    const auto end = std::chrono::steady_clock::now() + kSpinning;
    do {
        for (int look = 0; look < kLooks; ++look) {
            if (done()) {
                return true;
            }
            relax();
        }
    } while (std::chrono::steady_clock::now() < end);
    return done();
}

void run_serially(std::uint64_t n, std::uint64_t grain, Pool::Body body, void* arg) {
    for (std::uint64_t first = 0; first < n;) {
        const std::uint64_t count = std::min(grain, n - first);
        body(arg, first, count);
        first += count;
    }
}

}  // namespace

Pool::Pool(unsigned threads) : parts_(std::max(threads, 1U)), spins_(threads <= std::thread::hardware_concurrency()) {
    workers_.reserve(parts_.size() - 1);
    try {
        for (unsigned i = 1; i < threads; ++i) {
            workers_.emplace_back([this, i] { worker_main(i); });
        }
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
        // If the system starts fewer threads, the others do their work.
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
    cut(n / grain + (n % grain != 0 ? 1 : 0));
    gate_.store(kOpen, std::memory_order_release);
    epoch_.fetch_add(1, std::memory_order_release);
    epoch_.notify_all();
    work(0);
    std::uint32_t inside = gate_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen;
    if (inside != 0 && !(spins_ && spin_until([&] { return gate_.load(std::memory_order_acquire) == 0; }))) {
        while ((inside = gate_.load(std::memory_order_acquire)) != 0) {
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
void Pool::work(std::size_t thread) {
    try {
        work_on_parts(thread);
    } catch (...) {
        if (!failed_.exchange(true, std::memory_order_relaxed)) {
            failure_ = std::current_exception();  // read after the gate has been closed and all workers have left
        }
    }
}

void Pool::cut(std::uint64_t chunks) {
    const std::uint64_t even = chunks / parts_.size();
    const std::uint64_t rest = chunks % parts_.size();
    std::uint64_t first = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        parts_[i].next.store(first, std::memory_order_relaxed);
        first += even + (i < rest ? 1 : 0);
        parts_[i].end = first;
    }
}

void Pool::work_on_parts(std::size_t thread) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
        Part& part = parts_[(thread + i) % parts_.size()];
        for (;;) {
            const std::uint64_t chunk = part.next.fetch_add(1, std::memory_order_relaxed);
            if (chunk >= part.end) {
                break;
            }
            const std::uint64_t first = chunk * job_.grain;
            job_.body(job_.arg, first, std::min(job_.grain, job_.n - first));
        }
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
    if (!spins_ || !spin_until([&] { return epoch_.load(std::memory_order_acquire) != seen; })) {
        epoch_.wait(seen, std::memory_order_acquire);
    }
}

void Pool::worker_main(std::size_t thread) {
    block_interrupts();
    std::uint32_t seen = 0;
    while (!stop_.load(std::memory_order_acquire)) {
        if (enter()) {
            work(thread);
            leave();
        }
        wait_for_new_epoch(seen);
        seen = epoch_.load(std::memory_order_acquire);
    }
}

}  // namespace tenon
