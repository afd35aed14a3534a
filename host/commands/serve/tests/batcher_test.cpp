// SPDX-License-Identifier: Apache-2.0
#include "commands/serve/batcher.hpp"

#include <atomic>
#include <future>

#include "support/catch.hpp"

namespace tenon::batcher_test {

using std::chrono::microseconds;
using std::chrono::seconds;

// Notes which clients each batch has. The first batch waits until it is let go, so that the test can fill the next.
struct Noting {
    std::promise<void> go;
    std::shared_future<void> gone = go.get_future().share();
    std::atomic<int> done = 0;
    std::vector<std::vector<std::string>> batches;

    Batcher::Compute compute() {
        return [this](std::span<const std::unique_ptr<ServeJob>> jobs) {
            batches.emplace_back();
            for (const auto& job : jobs) {
                batches.back().push_back(job->request.client);
            }
            gone.wait();
        };
    }

    std::unique_ptr<ServeJob> job(std::string client, std::uint32_t rows = 1) {
        auto out = std::make_unique<ServeJob>();
        out->request.client = std::move(client);
        out->request.rows = rows;
        out->done = [this](ServeJob&) {
            ++done;
            done.notify_all();
        };
        return out;
    }

    void wait_for(int count) const {
        for (int now = done; now < count; now = done) {
            done.wait(now);
        }
    }
};

TEST_CASE("requests that arrive while a batch is computed form the next one, in order and up to its size") {
    Noting noting;
    Batcher batcher({.rows = 4, .window = microseconds(0)}, noting.compute());
    batcher.add(noting.job("a"));
    for (const char* const client : {"b", "c", "d", "e", "f"}) {
        batcher.add(noting.job(client));
    }
    noting.go.set_value();
    noting.wait_for(6);
    batcher.stop();
    std::vector<std::string> order;
    for (const auto& batch : noting.batches) {
        CHECK(batch.size() <= 4);
        order.insert(order.end(), batch.begin(), batch.end());
    }
    CHECK(order == std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
    CHECK(noting.batches.size() < 6);
}

TEST_CASE("two requests of a client are in two batches, and a request larger than a batch is alone") {
    Noting noting;
    noting.go.set_value();
    Batcher batcher({.rows = 4, .window = seconds(100)}, noting.compute());
    // A single client is not expected to have company, so it does not wait for the window.
    batcher.add(noting.job("a"));
    noting.wait_for(1);
    batcher.add(noting.job("a"));
    noting.wait_for(2);
    batcher.add(noting.job("b", 9));
    noting.wait_for(3);
    for (const char* const client : {"a", "b", "", ""}) {
        batcher.add(noting.job(client));
    }
    noting.wait_for(7);
    batcher.stop();
    REQUIRE(noting.batches.size() >= 4);
    CHECK(noting.batches[2] == std::vector<std::string>{"b"});
    CHECK(noting.batches[3] == std::vector<std::string>{"a", "b", "", ""});  // it waited for 4 rows, not 9
}

TEST_CASE("a batch waits a moment for as many as recent ones had, and no longer") {
    Noting noting;
    noting.go.set_value();
    Batcher batcher({.rows = 64, .window = microseconds(20'000)}, noting.compute());
    batcher.add(noting.job("a", 2));
    noting.wait_for(1);
    const auto begun = std::chrono::steady_clock::now();
    batcher.add(noting.job("a"));
    noting.wait_for(2);
    CHECK(std::chrono::steady_clock::now() - begun >= microseconds(20'000));
    batcher.add(noting.job("a"));  // it waits for one row now
    noting.wait_for(3);
    batcher.stop();
    CHECK(noting.batches.size() == 3);
}

TEST_CASE("an empty batch is computed while no request comes") {
    std::atomic<int> empty = 0;
    Batcher batcher({.rows = 4, .window = microseconds(0), .idle = std::chrono::milliseconds(1)},
                    [&](std::span<const std::unique_ptr<ServeJob>> jobs) { empty += jobs.empty() ? 1 : 0; });
    while (empty < 3) {
        std::this_thread::yield();
    }
    std::promise<void> done;
    auto job = std::make_unique<ServeJob>();
    job->done = [&](ServeJob&) { done.set_value(); };
    batcher.add(std::move(job));
    done.get_future().wait();
    batcher.stop();
}

TEST_CASE("after a stop nothing is called any more") {
    Noting noting;
    auto batcher = std::make_unique<Batcher>(BatchOptions{.rows = 1, .window = seconds(100)}, noting.compute());
    batcher->add(noting.job("a"));
    batcher->add(noting.job("b"));
    noting.go.set_value();
    batcher->stop();
    const int done = noting.done;
    batcher.reset();
    CHECK(done <= 2);
    CHECK(noting.done.load() == done);
}

}  // namespace tenon::batcher_test
