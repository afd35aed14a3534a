// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/sampler_rig.hpp"
#include "uniform.hpp"

namespace replay_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kUniform = tenon::sampler<Uniform>("uniform", "uniformly");

}  // namespace

TEST_CASE("every column is gathered at one array of pairs") {
    const SamplerRig rig(kUniform);
    const tn_sampler_info info = rig.plan();
    CHECK(info.array_count == 1);
    REQUIRE(info.gather_count == 1);
    CHECK(tenon::to_view(info.gathers[0]->source) == "*");
    CHECK(info.gathers[0]->array == 0);
    CHECK(info.column_count == 0);
}

TEST_CASE("complete transitions are drawn equally often, and no others, whatever the lanes hold") {
    SamplerRig rig(kUniform);
    constexpr std::uint32_t kRows = 200000;
    REQUIRE(rig.sample({8, 3, 0, 5}, {4, 0, 10, 1}, kRows) == TN_OK);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> times;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        ++times[{rig.lanes[row], rig.slots[row]}];
    }
    REQUIRE(times.size() == 15);
    for (const auto& [pair, count] : times) {
        const auto [lane, slot] = pair;
        CAPTURE(lane, slot);
        CHECK(((lane == 0 && (slot >= 8 || slot < 2)) || lane == 2 || (lane == 3 && slot == 5)));
        CHECK(std::abs(count - kRows / 15.0) < 4.5 * std::sqrt(kRows / 15.0));
    }
}

TEST_CASE("a batch depends on key and number only") {
    SamplerRig one(kUniform);
    SamplerRig two(kUniform);
    REQUIRE(one.sample({0, 0}, {10, 10}, 64, 5) == TN_OK);
    REQUIRE(two.sample({0, 0}, {10, 10}, 64, 4) == TN_OK);
    CHECK(one.slots != two.slots);
    REQUIRE(two.sample({0, 0}, {10, 10}, 64, 5) == TN_OK);
    CHECK(one.slots == two.slots);
    CHECK(one.lanes == two.lanes);
}

TEST_CASE("stratified rows are drawn from one part of the buffer each") {
    SamplerRig rig(kUniform, [](auto& options) { options["stratified"].integer = 1; });
    for (std::uint64_t counter = 0; counter < 50; ++counter) {
        REQUIRE(rig.sample({2, 2}, {5, 5}, 20, counter) == TN_OK);
        for (std::uint32_t row = 0; row < 20; ++row) {  // two rows for each transition, lane by lane
            CAPTURE(counter, row);
            REQUIRE(rig.lanes[row] == row / 10);
            REQUIRE(rig.slots[row] == 2 + row / 2 % 5);
        }
    }
}

}  // namespace replay_test
