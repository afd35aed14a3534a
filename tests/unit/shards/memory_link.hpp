// SPDX-License-Identifier: Apache-2.0
// Links between threads of one process, and a group of them.
#pragma once

#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines/shards/group.hpp"

namespace tenon::test {

// Queues of messages from each member to each other one.
struct Exchangers {
    explicit Exchangers(std::size_t count) : queues(count * count), gone(count) {}
    std::deque<std::vector<std::byte>>& queue(std::size_t from, std::size_t to) {
        return queues[from * gone.size() + to];
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::deque<std::vector<std::byte>>> queues;
    std::vector<bool> gone;
};

class MemoryLink final : public Link {
public:
    MemoryLink(std::shared_ptr<Exchangers> all, std::size_t own) : all_(std::move(all)), own_(own) {}
    ~MemoryLink() override { close(std::chrono::milliseconds(0)); }

    Status send(std::size_t to, std::span<const std::byte> message) override {
        const std::lock_guard lock(all_->mutex);
        all_->queue(own_, to).emplace_back(message.begin(), message.end());
        all_->changed.notify_all();
        return {};
    }
    std::optional<std::span<const std::byte>> receive(std::size_t from) override {
        const std::lock_guard lock(all_->mutex);
        auto& queue = all_->queue(from, own_);
        if (queue.empty()) {
            return std::nullopt;
        }
        newest_ = std::move(queue.front());
        queue.pop_front();
        return newest_;
    }
    void wait(std::size_t from, std::chrono::milliseconds limit) override {
        std::unique_lock lock(all_->mutex);
        all_->changed.wait_for(lock, limit,
                               [&] { return !all_->queue(from, own_).empty() || first_gone().has_value(); });
    }
    std::optional<std::size_t> gone() override {
        const std::lock_guard lock(all_->mutex);
        return first_gone();
    }
    void close(std::chrono::milliseconds /*limit*/) override {
        const std::lock_guard lock(all_->mutex);
        all_->gone[own_] = true;
        all_->changed.notify_all();
    }
    [[nodiscard]] std::string address() const override { return "here"; }

private:
    [[nodiscard]] std::optional<std::size_t> first_gone() const {
        for (std::size_t i = 0; i < all_->gone.size(); ++i) {
            if (i != own_ && all_->gone[i]) {
                return i;
            }
        }
        return std::nullopt;
    }

    std::shared_ptr<Exchangers> all_;
    std::size_t own_;
    std::vector<std::byte> newest_;
};

// Assertions of Catch2 are for one thread at a time: what asserts in a member's thread locks this.
inline std::mutex asserting;

// Runs f(group) in a thread for each member.
template <class F>
void in_group(std::size_t count, F f, std::chrono::milliseconds limit = std::chrono::seconds(60)) {
    const auto all = std::make_shared<Exchangers>(count);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < count; ++rank) {
        threads.emplace_back([&, rank] {
            Group group(std::make_unique<MemoryLink>(all, rank), {.rank = rank, .count = count, .limit = limit},
                        "thread " + std::to_string(rank));
            f(group);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

// The same, if no member ends before all have done their part: under load a member whose partner has done, and is gone,
// would wait for a third one no longer than the grace of a group.
template <class F>
void in_whole_group(std::size_t count, F f) {
    std::barrier<> all(static_cast<std::ptrdiff_t>(count));
    in_group(count, [&](Group& group) {
        f(group);
        all.arrive_and_wait();
    });
}

}  // namespace tenon::test
