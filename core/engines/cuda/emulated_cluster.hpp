// SPDX-License-Identifier: Apache-2.0
// A cluster of blocks on the emulated device. Each block has a thread of the host, and so its own shared memory. The
// blocks take turns: one of them runs at a time, from one barrier of the cluster to the next. Their order is shuffled
// at each barrier. So if a work forgets to wait for another block's result, some order lets it read too early.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tenon/emulated.hpp"

namespace tenon::emulated {

class Cluster {
public:
    Cluster(unsigned blocks, std::uint64_t& shuffles) : shuffles_(shuffles) {
        for (unsigned i = 0; i < blocks; ++i) {
            order_.push_back(i);
        }
        shuffle();
    }

    // is_whole: all blocks have a thread; otherwise none of them runs.
    void begin(bool is_whole) {
        const std::scoped_lock lock(mutex_);
        state_ = is_whole ? State::kRuns : State::kGivenUp;
        changed_.notify_all();
    }

    // False: the block does not run.
    bool wait_for_turn(unsigned block) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock,
                      [&] { return state_ == State::kGivenUp || (state_ == State::kRuns && order_[turn_] == block); });
        return state_ == State::kRuns;
    }

    // Called by the block whose turn it is when it comes to a barrier. Returns when all blocks have come to it and it
    // is this block's turn again.
    void arrive(unsigned block) {
        pass(false);
        wait_for_turn(block);
    }

    // Called by the block whose turn it is when it ends.
    void end() { pass(true); }

private:
    void pass(bool ends) {
        const std::scoped_lock lock(mutex_);
        if (ends) {
            order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(turn_));
        } else {
            ++turn_;
        }
        if (turn_ == order_.size()) {
            turn_ = 0;
            shuffle();
        }
        changed_.notify_all();
    }

    void shuffle() {
        for (std::size_t i = order_.size(); i > 1; --i) {
            std::swap(order_[i - 1], order_[draw_below(shuffles_, static_cast<unsigned>(i))]);
        }
    }

    enum class State : std::uint8_t { kGathers, kRuns, kGivenUp };

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<unsigned> order_;  // of the blocks that have not ended
    std::size_t turn_ = 0;         // an index in order_
    State state_ = State::kGathers;
    std::uint64_t& shuffles_;
};

// Throws what the constructor of a thread throws; no block has run then.
template <auto Kernel, class Thread = std::jthread>
void run_together(const std::uint32_t* grid, const std::uint32_t* block, void* const* arguments) {
    if (grid[0] == 1) {  // a single block waits for no other
        Launch<Kernel>::run(grid, block, arguments);
        return;
    }
    Cluster cluster(grid[0], machine().shuffles);
    const auto run = [&](unsigned number) {
        if (!cluster.wait_for_turn(number)) {
            return;
        }
        Machine& m = machine();
        Launch<Kernel>::prepare(m, grid, block, arguments);
        m.block = {number, 0, 0};
        m.cluster = &cluster;
        m.wait_for_blocks = [](void* of) { static_cast<Cluster*>(of)->arrive(machine().block.x); };
        run_block(m);
        m.wait_for_blocks = nullptr;
        cluster.end();
    };
    std::vector<Thread> others;
    try {
        for (unsigned number = 1; number < grid[0]; ++number) {
            others.emplace_back(run, number);
        }
    } catch (...) {
        cluster.begin(false);  // otherwise the existing threads would wait forever
        throw;
    }
    cluster.begin(true);
    run(0);
}

// The same as kernel(), for a kernel whose blocks are a cluster.
template <auto Kernel>
constexpr tn_emulated_kernel cluster(const char* name) {
    return {name, &run_together<Kernel>};
}

}  // namespace tenon::emulated
