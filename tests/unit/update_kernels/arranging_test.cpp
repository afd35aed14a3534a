// SPDX-License-Identifier: Apache-2.0
// The order of the works of a run: what needs another comes after it, with a wait between them.
#include "engines/cuda/arranging.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace arranging_test {
namespace {

using namespace tenon::compiled::device;

template <class Work>
RunStep step_of(Kernel kernel, const Work& work, std::uint8_t blocks = 1) {
    RunStep out{};
    out.kernel = kernel;
    out.blocks_used = blocks;
    std::memcpy(out.work, &work, sizeof work);
    return out;
}

// Element `to` becomes that of `from`, as a target follows its network; the norm is at 63.
RunStep move(float* memory, std::size_t to, std::size_t from, std::int64_t count = 1) {
    return step_of(Kernel::kFollow, FollowWork{.follower = memory + to,
                                               .live = memory + from,
                                               .soft = 0,
                                               .count = count,
                                               .weight = nullptr,
                                               .norm = reinterpret_cast<const double*>(memory + 62)});
}

bool waits_between(const std::vector<RunStep>& steps, std::size_t first, std::size_t second) {
    return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(first),
                       steps.begin() + static_cast<std::ptrdiff_t>(second),
                       [](const RunStep& step) { return step.others_wait != 0; });
}

TEST_CASE("works that need nothing of each other do not wait, and begin with different blocks") {
    alignas(8) float memory[64] = {};
    const std::vector<RunStep> steps{move(memory, 0, 10), move(memory, 1, 0), move(memory, 2, 11), move(memory, 3, 2)};
    std::vector<std::size_t> order;
    const std::vector<RunStep> arranged = arrange(steps, {}, order);
    CHECK(order == std::vector<std::size_t>{0, 2, 1, 3});
    CHECK(arranged[0].others_wait == 0);
    CHECK(arranged[1].others_wait == 1);
    CHECK(arranged[2].others_wait == 0);
    CHECK(arranged[3].others_wait == 1);
    CHECK(arranged[0].first_block != arranged[1].first_block);
}

TEST_CASE("a work that nothing is known of waits for all, and all wait for it") {
    alignas(8) float memory[64] = {};
    const std::vector<RunStep> steps{move(memory, 0, 10), step_of(Kernel::kScan, ScanWork{}), move(memory, 2, 11)};
    std::vector<std::size_t> order;
    const std::vector<RunStep> arranged = arrange(steps, {}, order);
    CHECK(order == std::vector<std::size_t>{0, 1, 2});
    CHECK(std::ranges::all_of(arranged, [](const RunStep& step) { return step.others_wait == 1; }));
}

TEST_CASE("a copy that tells the host what was wrong comes after all that may have found it; they do not wait") {
    alignas(8) float memory[64] = {};
    auto* const fault = reinterpret_cast<std::uint32_t*>(memory + 60);
    const auto gather = [&](std::size_t to) {
        RowsWork work{};
        work.shape = {.rank = 1, .size = {1}};
        work.rows = 1;
        work.n = 1;
        work.bytes = sizeof(float);
        work.x = memory + 10;
        work.index = reinterpret_cast<const std::int64_t*>(memory + 20);
        work.out = memory + to;
        work.fault = fault;
        return step_of(Kernel::kGather, work);
    };
    const std::int64_t one = 1;
    const CopyItem item{.from = {.at = fault, .shape = {.rank = 1, .size = {one}}, .strides = {}},
                        .to = memory + 40,
                        .count = 1,
                        .bytes = 4,
                        .adds = 0};
    std::vector<TableCopy> tables(1);
    tables[0].on_host.resize(sizeof item);
    std::memcpy(tables[0].on_host.data(), &item, sizeof item);
    tables[0].on_device = reinterpret_cast<const std::byte*>(&item);
    const CopyWork copy{.items = &item, .count = 1, .longest = 1, .place = nullptr, .apart = 0};
    const std::vector<RunStep> steps{gather(0), move(memory, 2, 0), gather(1), step_of(Kernel::kCopy, copy)};
    std::vector<std::size_t> order;
    const std::vector<RunStep> arranged = arrange(steps, tables, order);
    CHECK(order == std::vector<std::size_t>{0, 2, 1, 3});
    CHECK(arranged[0].others_wait == 0);
    CHECK(arranged[1].others_wait == 1);
    CHECK(arranged[2].others_wait == 0);
}

// Whether one writes what the other reads or writes.
bool clash(const RunStep& a, const RunStep& b) {
    FollowWork x;
    FollowWork y;
    std::memcpy(&x, a.work, sizeof x);
    std::memcpy(&y, b.work, sizeof y);
    const auto meet = [](const float* p, std::int64_t n, const float* q, std::int64_t m) {
        return p < q + m && q < p + n;
    };
    return meet(x.follower, x.count, y.follower, y.count) || meet(x.follower, x.count, y.live, y.count) ||
           meet(x.live, x.count, y.follower, y.count);
}

TEST_CASE("whatever clashes keeps its order, with a wait between") {
    std::mt19937_64 generator(5);
    alignas(8) float memory[64] = {};
    for (int number = 0; number < 200; ++number) {
        std::vector<RunStep> steps;
        for (int i = 0; i < 20; ++i) {
            steps.push_back(
                move(memory, generator() % 50, generator() % 50, 1 + static_cast<std::int64_t>(generator() % 8)));
        }
        std::vector<std::size_t> order;
        const std::vector<RunStep> arranged = arrange(steps, {}, order);
        std::vector<std::size_t> place(steps.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
        }
        for (std::size_t i = 0; i < steps.size(); ++i) {
            for (std::size_t j = i + 1; j < steps.size(); ++j) {
                if (clash(steps[i], steps[j])) {
                    REQUIRE(place[i] < place[j]);
                    REQUIRE(waits_between(arranged, place[i], place[j]));
                }
            }
        }
    }
}

}  // namespace
}  // namespace arranging_test
