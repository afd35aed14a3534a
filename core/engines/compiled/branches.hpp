// SPDX-License-Identifier: Apache-2.0
// Threads that run independent instructions of a small program at the same time, for example those of two networks.
// Each thread begins with the same instructions every time. An instruction that another thread has not begun is taken
// by the one that needs its result, so nobody waits for a thread that is asleep. No instruction is split, so no bit
// changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread/pool.hpp"

namespace tenon::compiled {

// Bytes that an instruction reads or writes, in one of the program's memories.
struct Touch {
    std::size_t memory = 0;
    std::size_t first = 0;
    std::size_t last = 0;  // not included
    bool writes = false;
};

struct Task {
    double ns = 0;  // about how long it takes
    std::vector<Touch> touches;
};

class Branches {
public:
    Branches() = default;  // no tasks
    // A task that touches what an earlier one writes, or writes what it touches, runs after it.
    Branches(std::span<const Task> tasks, unsigned threads);

    // Whether it is expected to be clearly faster than one task after the other.
    [[nodiscard]] bool pays() const { return pays_; }
    [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(plans_.size()); }
    // The tasks that a thread begins with.
    [[nodiscard]] std::span<const std::uint32_t> plan(unsigned thread) const { return plans_[thread]; }
    [[nodiscard]] std::span<const std::uint32_t> needs(std::size_t task) const { return needs_[task]; }

    // Calls each(arg, thread, task) once for each task, in an order that the tasks' memory allows; two calls at the
    // same time have different threads. Must not throw.
    using Run = void (*)(void* arg, unsigned thread, std::uint32_t task);
    void run(Pool& pool, Run each, void* arg);

private:
    struct alignas(64) State {
        std::atomic<std::uint64_t> now{0};  // twice the number of the run, plus 1 if it is done
        State() = default;
        State(State&& other) noexcept : now(other.now.load()) {}
    };
    struct Walk;

    [[nodiscard]] bool is_done(std::uint32_t task) const;
    bool take(std::uint32_t task);
    void settle(const Walk& walk, std::uint32_t task);
    void perform(const Walk& walk, std::uint32_t task);

    bool pays_ = false;
    std::uint64_t number_ = 0;  // of the present run
    std::vector<std::vector<std::uint32_t>> needs_;
    std::vector<std::vector<std::uint32_t>> plans_;  // by thread
    std::vector<State> states_;
};

}  // namespace tenon::compiled
