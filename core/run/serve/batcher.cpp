// SPDX-License-Identifier: Apache-2.0
#include "run/serve/batcher.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "base/thread/interrupts.hpp"

namespace tenon {

Batcher::Batcher(const BatchOptions& options, Compute compute) : options_(options), compute_(std::move(compute)) {
    thread_ = std::thread([this] {
        block_interrupts();
        run();
    });
}

void Batcher::add(std::unique_ptr<ServeJob> job) {
    {
        const std::scoped_lock lock(mutex_);
        waiting_.push_back(std::move(job));
    }
    woken_.notify_one();
}

void Batcher::stop() {
    {
        const std::scoped_lock lock(mutex_);
        stops_ = true;
    }
    woken_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
    waiting_.clear();
}

std::uint32_t Batcher::waiting_rows() const {
    return std::accumulate(waiting_.begin(), waiting_.end(), std::uint32_t{0},
                           [](std::uint32_t sum, const auto& job) { return sum + job->request.rows; });
}

// In the order of their arrival. A second request of a client waits for the next batch, and so do all after it.
std::vector<std::unique_ptr<ServeJob>> Batcher::take() {
    std::vector<std::unique_ptr<ServeJob>> out;
    std::set<std::string_view> clients;
    std::uint32_t rows = 0;
    while (!waiting_.empty()) {
        const ActRequest& next = waiting_.front()->request;
        const bool again = !next.client.empty() && !clients.insert(next.client).second;
        if (again || (!out.empty() && rows + next.rows > options_.rows)) {
            break;
        }
        rows += next.rows;
        out.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    last_rows_ = rows;
    return out;
}

void Batcher::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        woken_.wait(lock, [&] { return stops_ || !waiting_.empty(); });
        const auto is_full = [&] { return stops_ || waiting_rows() >= std::min(last_rows_, options_.rows); };
        woken_.wait_until(
            lock,
            waiting_.empty() ? std::chrono::steady_clock::time_point() : waiting_.front()->arrived + options_.window,
            is_full);
        if (stops_) {
            return;
        }
        const std::vector<std::unique_ptr<ServeJob>> batch = take();
        lock.unlock();
        compute_(batch);
        for (const std::unique_ptr<ServeJob>& job : batch) {
            job->done(*job);
        }
        lock.lock();
    }
}

}  // namespace tenon
