// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/branches.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "base/thread/relax.hpp"

namespace tenon::compiled {
namespace {

constexpr double kHandOver = 400;  // ns until another thread sees a result and has brought it into its cache
constexpr double kStart = 1000;    // ns until the other threads have begun

bool collide(const Task& a, const Task& b) {
    return std::ranges::any_of(a.touches, [&](const Touch& x) {
        return std::ranges::any_of(b.touches, [&](const Touch& y) {
            return x.memory == y.memory && (x.writes || y.writes) && x.first < y.last && y.first < x.last;
        });
    });
}

// For each task, the earlier tasks that it must wait for, except those that another of them waits for already.
std::vector<std::vector<std::uint32_t>> needs_of(std::span<const Task> tasks) {
    std::vector<std::vector<std::uint32_t>> out(tasks.size());
    std::vector<std::vector<bool>> before(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        before[i].assign(tasks.size(), false);
        for (std::size_t j = i; j-- > 0;) {
            if (before[i][j] || !collide(tasks[j], tasks[i])) {
                continue;
            }
            out[i].push_back(static_cast<std::uint32_t>(j));
            before[i][j] = true;
            for (std::size_t k = 0; k < j; ++k) {
                before[i][k] = before[i][k] || before[j][k];
            }
        }
    }
    return out;
}

// The time from the beginning of each task to the end of the last one that waits for it.
std::vector<double> urgencies(std::span<const Task> tasks, std::span<const std::vector<std::uint32_t>> needs) {
    std::vector<double> out(tasks.size());
    for (std::size_t i = tasks.size(); i-- > 0;) {
        out[i] += tasks[i].ns;
        for (const std::uint32_t need : needs[i]) {
            out[need] = std::max(out[need], out[i]);
        }
    }
    return out;
}

}  // namespace

struct Branches::Walk {
    Branches& all;
    Run run;
    void* arg;
    unsigned thread;
};

Branches::Branches(std::span<const Task> tasks, unsigned threads)
    : needs_(needs_of(tasks)), plans_(threads), states_(tasks.size()) {
    const std::vector<double> urgency = urgencies(tasks, needs_);
    std::vector<std::uint32_t> order(tasks.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) { return urgency[a] > urgency[b]; });
    std::vector<double> free(threads, kStart);
    free.front() = 0;
    std::vector<double> end(tasks.size());
    std::vector<std::size_t> thread_of(tasks.size());
    double alone = 0;
    for (const std::uint32_t task : order) {
        const auto end_on = [&](std::size_t thread) {
            double start = free[thread];
            for (const std::uint32_t need : needs_[task]) {
                start = std::max(start, end[need] + (thread_of[need] == thread ? 0 : kHandOver));
            }
            return start + tasks[task].ns;
        };
        std::size_t best = 0;
        for (std::size_t thread = 1; thread < threads; ++thread) {
            best = end_on(thread) < end_on(best) ? thread : best;
        }
        end[task] = end_on(best);
        free[best] = end[task];
        thread_of[task] = best;
        plans_[best].push_back(task);
        alone += tasks[task].ns;
    }
    pays_ = threads > 1 && !tasks.empty() && std::ranges::max(free) < 0.75 * alone;
}

bool Branches::is_done(std::uint32_t task) const {
    return states_[task].now.load(std::memory_order_acquire) == 2 * number_ + 1;
}

bool Branches::take(std::uint32_t task) {
    std::uint64_t seen = states_[task].now.load(std::memory_order_relaxed);
    return seen < 2 * number_ &&
           states_[task].now.compare_exchange_strong(seen, 2 * number_, std::memory_order_acq_rel);
}

void Branches::settle(const Walk& walk, std::uint32_t task) {
    constexpr int kSpins = 4000;
    if (is_done(task)) {
        return;
    }
    if (take(task)) {
        perform(walk, task);
        return;
    }
    for (int spin = 0; !is_done(task); ++spin) {
        spin < kSpins ? relax() : std::this_thread::yield();
    }
}

// Tasks wait only for earlier ones, so there is no deadlock.
void Branches::perform(const Walk& walk, std::uint32_t task) {
    for (const std::uint32_t need : needs_[task]) {
        settle(walk, need);
    }
    walk.run(walk.arg, walk.thread, task);
    states_[task].now.store(2 * number_ + 1, std::memory_order_release);
}

void Branches::run(Pool& pool, Run each, void* arg) {
    ++number_;
    Walk walk{*this, each, arg, 0};
    pool.parallel_for(
        plans_.size(), 1,
        [](void* to, std::uint64_t thread, std::uint64_t) {
            Walk mine = *static_cast<Walk*>(to);
            mine.thread = static_cast<unsigned>(thread);
            for (const std::uint32_t task : mine.all.plans_[thread]) {
                if (mine.all.take(task)) {
                    mine.all.perform(mine, task);
                }
            }
        },
        &walk);
}

}  // namespace tenon::compiled
