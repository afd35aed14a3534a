// SPDX-License-Identifier: Apache-2.0
// Tasks that threads run at the same time: each once, and after those whose memory it needs.
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/thread/pool.hpp"
#include "engines/compiled/branches.hpp"
#include "support/catch.hpp"

namespace branches_test {

using namespace tenon;
using namespace tenon::compiled;

namespace {

constexpr double kLong = 20'000;  // ns

// Two chains over memories of their own, and a last task that reads both.
std::vector<Task> two_chains(std::size_t length) {
    std::vector<Task> out;
    for (std::size_t i = 0; i < length; ++i) {
        for (std::size_t chain = 0; chain < 2; ++chain) {
            out.push_back({.ns = kLong, .touches = {{.memory = chain, .first = 0, .last = 64, .writes = true}}});
        }
    }
    out.push_back(
        {.ns = kLong, .touches = {{.memory = 0, .first = 0, .last = 8}, {.memory = 1, .first = 0, .last = 8}}});
    return out;
}

struct Seen {
    const Branches* branches = nullptr;
    std::array<std::atomic<int>, 256> runs{};
    std::atomic<int> early{0};
};

void note(void* arg, unsigned /*thread*/, std::uint32_t task) {
    auto& seen = *static_cast<Seen*>(arg);
    for (const std::uint32_t need : seen.branches->needs(task)) {
        seen.early += seen.runs[need].load() > seen.runs[task].load() ? 0 : 1;
    }
    ++seen.runs[task];
}

}  // namespace

TEST_CASE("independent chains pay for two threads, one chain does not") {
    const std::vector<Task> two = two_chains(10);
    CHECK(Branches(two, 2).pays());
    CHECK(Branches(two, 2).plan(0).size() + Branches(two, 2).plan(1).size() == two.size());
    CHECK_FALSE(Branches(two, 1).pays());
    std::vector<Task> one = two;
    for (Task& task : one) {
        task.touches.front().memory = 0;
    }
    CHECK_FALSE(Branches(one, 2).pays());
    std::vector<Task> tiny = two;
    for (Task& task : tiny) {
        task.ns = 50;
    }
    CHECK_FALSE(Branches(tiny, 2).pays());
}

TEST_CASE("a task needs those that write what it touches, and those that touch what it writes") {
    const auto touch = [](std::size_t first, std::size_t last, bool writes) {
        return Task{.ns = 1, .touches = {{.memory = 3, .first = first, .last = last, .writes = writes}}};
    };
    const std::vector<Task> tasks = {touch(0, 8, true), touch(0, 4, false), touch(4, 8, false), touch(0, 4, true),
                                     touch(8, 9, true)};
    const Branches branches(tasks, 2);
    using Tasks = std::vector<std::uint32_t>;
    const auto needs = [&](std::size_t task) {
        return Tasks(branches.needs(task).begin(), branches.needs(task).end());
    };
    CHECK(needs(1) == Tasks{0});
    CHECK(needs(2) == Tasks{0});
    CHECK(needs(3) == Tasks{1});
    CHECK(needs(4).empty());
}

TEST_CASE("each task runs once in each run, after those it needs") {
    const std::vector<Task> tasks = two_chains(60);
    for (const unsigned threads : {1U, 2U, 3U}) {
        Branches branches(tasks, 3);
        Pool pool(threads);
        Seen seen;
        seen.branches = &branches;
        constexpr int kRuns = 500;
        for (int run = 0; run < kRuns; ++run) {
            branches.run(pool, note, &seen);
        }
        CHECK(seen.early.load() == 0);
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            REQUIRE(seen.runs[i].load() == kRuns);
        }
    }
}

}  // namespace branches_test
