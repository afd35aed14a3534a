// SPDX-License-Identifier: Apache-2.0
// Gathers requests into batches, which one thread computes. While it computes, other requests wait and form the next
// batch. A batch also waits a moment for as many rows as recent ones had. A single client never waits for others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "commands/serve/act_request.hpp"
#include "commands/serve/token_stream.hpp"

namespace tenon {

// A request on its way, and its result.
struct ServeJob {
    std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
    ActRequest request = {};
    ActResult result = Rows();
    std::shared_ptr<TokenStream> stream = {};  // gets each element of the action once it is known
    bool resets = false;                       // forgets request.client instead of acting
    bool forgotten = false;                    // whether the client was known
    std::int64_t frames = 0;                   // after which training has had these weights
    std::function<void(ServeJob&)> done = {};  // called once, on the thread of the batcher
};

struct BatchOptions {
    std::uint32_t rows = 64;                // at most, unless one request alone has more
    std::chrono::microseconds window{500};  // how long a batch may wait for others
    std::chrono::milliseconds idle{0};      // after so long without a request an empty batch is computed; 0: never
};

class Batcher {
public:
    // Computes the results of a batch. No two of its jobs have the same client.
    using Compute = std::function<void(std::span<const std::unique_ptr<ServeJob>>)>;

    Batcher(const BatchOptions& options, Compute compute);
    Batcher(const Batcher&) = delete;
    Batcher& operator=(const Batcher&) = delete;
    ~Batcher() { stop(); }

    void add(std::unique_ptr<ServeJob> job);

    // Ends the thread after the present batch. Waiting jobs are dropped; nothing is called any more.
    void stop();

private:
    void run();
    [[nodiscard]] bool is_full() const;
    std::vector<std::unique_ptr<ServeJob>> take();

    BatchOptions options_;
    Compute compute_;
    std::mutex mutex_;
    std::condition_variable woken_;
    std::deque<std::unique_ptr<ServeJob>> waiting_;
    bool stops_ = false;
    std::uint32_t waiting_rows_ = 0;
    std::uint32_t expected_ = 1;  // rows of the next batch
    std::thread thread_;
};

}  // namespace tenon
