// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/batcher.hpp"

#include <algorithm>
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
    bool wakes = false;
    {
        const std::scoped_lock lock(mutex_);
        waiting_rows_ += job->request.rows;
        waiting_.push_back(std::move(job));
        wakes = waiting_.size() == 1 || is_full();  // otherwise it would only wait again
    }
    if (wakes) {
        woken_.notify_one();
    }
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

bool Batcher::is_full() const {
    return waiting_rows_ >= std::min(expected_, options_.rows);
}

// Takes jobs in the order of their arrival. A second request of a client waits for the next batch, and so do all later
// ones.
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
    waiting_rows_ -= rows;
    // The expected number falls slowly, because clients of a busy machine do not come at the same time.
    expected_ = std::max(rows, expected_ - (expected_ + 7) / 8);
    return out;
}

void Batcher::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto has_work = [&] { return stops_ || !waiting_.empty(); };
        if (options_.idle.count() == 0) {
            woken_.wait(lock, has_work);
        } else if (!woken_.wait_for(lock, options_.idle, has_work)) {
            lock.unlock();
            compute_({});
            lock.lock();
            continue;
        }
        if (!stops_) {
            woken_.wait_until(lock, waiting_.front()->arrived + options_.window, [&] { return stops_ || is_full(); });
        }
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
