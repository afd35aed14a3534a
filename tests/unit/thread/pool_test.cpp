// SPDX-License-Identifier: Apache-2.0
#include "base/thread/pool.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace pool_test {

using namespace tenon;

namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

struct Seen {
    std::mutex mutex;
    std::multiset<Range> ranges;
    std::set<std::thread::id> threads;
};

void note_range(void* arg, std::uint64_t first, std::uint64_t count) {
    auto& seen = *static_cast<Seen*>(arg);
    const std::lock_guard lock(seen.mutex);
    seen.ranges.insert({first, count});
    seen.threads.insert(std::this_thread::get_id());
}

std::multiset<Range> ranges_of(unsigned threads, std::uint64_t n, std::uint64_t grain) {
    Pool pool(threads);
    Seen seen;
    pool.parallel_for(n, grain, note_range, &seen);
    return seen.ranges;
}

void count_one(void* arg, std::uint64_t first, std::uint64_t count) {
    auto& cells = *static_cast<std::vector<std::uint32_t>*>(arg);
    for (std::uint64_t i = first; i < first + count; ++i) {
        ++cells[i];
    }
}

}  // namespace

TEST_CASE("the cut depends on n and grain only") {
    const std::multiset<Range> expected = {{0, 3}, {3, 3}, {6, 3}, {9, 1}};
    for (const unsigned threads : {0U, 1U, 2U, 4U}) {
        CHECK(ranges_of(threads, 10, 3) == expected);
        CHECK(ranges_of(threads, 0, 3).empty());
        CHECK(ranges_of(threads, 2, 100) == std::multiset<Range>{{0, 2}});
        CHECK(ranges_of(threads, 2, 0) == std::multiset<Range>{{0, 1}, {1, 1}});
        CHECK(ranges_of(threads, 2, ~std::uint64_t{0}) == std::multiset<Range>{{0, 2}});
    }
}

TEST_CASE("one thread stays one thread") {
    Pool pool(1);
    CHECK(pool.threads() == 1);
    Seen seen;
    pool.parallel_for(100, 1, note_range, &seen);
    CHECK(seen.threads == std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST_CASE("work is shared with the other threads") {
    Pool pool(2);
    CHECK(pool.threads() == 2);
    // Each body waits until both threads are inside one: this ends only if there are two.
    struct Meeting {
        std::atomic<int> inside{0};
    } meeting;
    const auto body = [](void* arg, std::uint64_t, std::uint64_t) {
        auto& here = *static_cast<Meeting*>(arg);
        here.inside.fetch_add(1);
        while (here.inside.load() < 2) {
            std::this_thread::yield();
        }
    };
    pool.parallel_for(2, 1, body, &meeting);
    CHECK(meeting.inside.load() == 2);
}

TEST_CASE("many jobs, sleeping in between, do every element exactly once") {
    Pool pool(4);
    std::vector<std::uint32_t> cells(101);
    constexpr int kJobs = 3000;
    for (int job = 0; job < kJobs; ++job) {
        pool.parallel_for(cells.size(), 7, count_one, &cells);
        if (job % 500 == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    for (const std::uint32_t cell : cells) {
        REQUIRE(cell == kJobs);
    }
}

TEST_CASE("a call from inside a body runs serially, in that thread") {
    struct Nested {
        Pool pool{3};
        std::atomic<int> calls{0};
        std::atomic<int> on_others{0};
    } nested;
    struct Inner {
        Nested* nested;
        std::thread::id thread;
    };
    const auto outer = [](void* arg, std::uint64_t, std::uint64_t) {
        Inner inner{static_cast<Nested*>(arg), std::this_thread::get_id()};
        const auto body = [](void* to, std::uint64_t, std::uint64_t) {
            auto& in = *static_cast<Inner*>(to);
            in.nested->calls.fetch_add(1);
            in.nested->on_others.fetch_add(std::this_thread::get_id() == in.thread ? 0 : 1);
        };
        inner.nested->pool.parallel_for(5, 1, body, &inner);
    };
    nested.pool.parallel_for(8, 1, outer, &nested);
    CHECK(nested.calls.load() == 40);
    CHECK(nested.on_others.load() == 0);
}

TEST_CASE("what a body throws on any thread leaves in the caller's, and the pool goes on") {
    Pool pool(2);
    struct Meeting {
        std::thread::id caller = std::this_thread::get_id();
        bool caller_throws = false;
        std::atomic<int> inside{0};
    };
    const auto body = [](void* arg, std::uint64_t, std::uint64_t) {
        auto& here = *static_cast<Meeting*>(arg);
        here.inside.fetch_add(1);
        while (here.inside.load() < 2) {  // until there is a body in either thread
            std::this_thread::yield();
        }
        if ((std::this_thread::get_id() == here.caller) == here.caller_throws) {
            throw std::bad_alloc();
        }
    };
    for (const bool caller_throws : {true, false}) {
        Meeting meeting{.caller_throws = caller_throws};
        CHECK_THROWS_AS(pool.parallel_for(2, 1, body, &meeting), std::bad_alloc);
        std::vector<std::uint32_t> cells(50);
        pool.parallel_for(cells.size(), 4, count_one, &cells);
        CHECK(cells == std::vector<std::uint32_t>(50, 1));
    }
}

TEST_CASE("two callers at once do not disturb each other") {
    Pool pool(2);
    std::vector<std::uint32_t> mine(50);
    std::vector<std::uint32_t> theirs(50);
    std::thread other([&] {
        for (int i = 0; i < 1000; ++i) {
            pool.parallel_for(theirs.size(), 4, count_one, &theirs);
        }
    });
    for (int i = 0; i < 1000; ++i) {
        pool.parallel_for(mine.size(), 4, count_one, &mine);
    }
    other.join();
    CHECK(mine == std::vector<std::uint32_t>(50, 1000));
    CHECK(theirs == std::vector<std::uint32_t>(50, 1000));
}

TEST_CASE("pools come and go, used or not") {
    for (int i = 0; i < 200; ++i) {
        Pool pool(3);
        std::vector<std::uint32_t> cells(9);
        if (i % 2 == 0) {
            pool.parallel_for(cells.size(), 1, count_one, &cells);
            REQUIRE(cells == std::vector<std::uint32_t>(9, 1));
        }
    }
}

}  // namespace pool_test
