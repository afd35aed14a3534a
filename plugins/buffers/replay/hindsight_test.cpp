// SPDX-License-Identifier: Apache-2.0
// Goals from hindsight on ring buffers written by hand, with ends of episodes inside.
#include "hindsight.hpp"

#include <array>
#include <set>

#include "support/catch.hpp"
#include "support/sampler_rig.hpp"

namespace hindsight_test {

using tenon::test::SamplerRig;

namespace {

constexpr auto kHindsight = tenon::sampler<Hindsight>("hindsight", "goals from hindsight");
constexpr std::uint32_t kRows = 2000;

auto with(const char* strategy, double ratio) {
    return [=](auto& options) {
        options["strategy"].text = tenon::to_str(strategy);
        options["ratio"].real = ratio;
    };
}

// One lane of eight slots: the oldest transition at slot 5, the newest at slot 2; episodes end at slots 6 (terminated)
// and 1 (truncated). The steps of the episode from each slot on:
const std::array<std::set<std::uint32_t>, 8> kRest = {{{0, 1}, {1}, {2}, {}, {}, {5, 6}, {6}, {7, 0, 1}}};
const std::array<std::uint32_t, 8> kLast = {1, 1, 2, 0, 0, 6, 6, 1};

struct Rig : SamplerRig {
    Rig(const char* strategy, double share) : SamplerRig(kHindsight, with(strategy, share)) {
        ring = 8;
        arrays = 2;
        appended = 14;
        terminated = {0, 0, 0, 0, 0, 0, 1, 0};
        truncated = {0, 1, 0, 0, 0, 0, 0, 0};
    }
};

struct Sampled {
    std::array<std::set<std::uint32_t>, 8> goals;  // by slot of the row
    std::uint32_t relabelled = 0;
};

Sampled sample(SamplerRig& rig) {
    std::array<bool, kRows> relabelled{};
    rig.columns = {relabelled.data()};
    REQUIRE(rig.sample({5}, {6}, kRows) == TN_OK);
    Sampled out;
    for (std::uint32_t row = 0; row < kRows; ++row) {
        out.relabelled += relabelled[row] ? 1 : 0;
        if (!relabelled[row]) {
            REQUIRE(rig.slots[kRows + row] == rig.slots[row]);
        } else {
            out.goals[rig.slots[row]].insert(rig.slots[kRows + row]);
        }
        REQUIRE(rig.lanes[kRows + row] == 0);
    }
    return out;
}

}  // namespace

TEST_CASE("a goal of the future is any later step of the row's episode, and no other") {
    Rig rig("future", 1);
    const Sampled sampled = sample(rig);
    CHECK(sampled.relabelled == kRows);
    CHECK(sampled.goals == kRest);
}

TEST_CASE("the final goal is the episode's last step that is held") {
    Rig rig("final", 1);
    const Sampled sampled = sample(rig);
    for (const std::uint32_t slot : {0U, 1U, 2U, 5U, 6U, 7U}) {
        CAPTURE(slot);
        CHECK(sampled.goals[slot] == std::set<std::uint32_t>{kLast[slot]});
    }
}

TEST_CASE("a goal of the episode is any of its steps, a random one any step of the buffer") {
    Rig rig("episode", 1);
    const Sampled sampled = sample(rig);
    for (const std::set<std::uint32_t>& steps : {std::set{5U, 6U}, std::set{7U, 0U, 1U}, std::set{2U}}) {
        for (const std::uint32_t slot : steps) {
            CAPTURE(slot);
            CHECK(sampled.goals[slot] == steps);
        }
    }
    Rig any("random", 1);
    CHECK(sample(any).goals[6] == std::set<std::uint32_t>{0, 1, 2, 5, 6, 7});
}

TEST_CASE("the ratio is the share of rows with a goal from hindsight") {
    Rig rig("future", 0.25);
    const double share = sample(rig).relabelled / static_cast<double>(kRows);
    CHECK(share > 0.25 - 4.5 * 0.0097);  // 0.0097: the standard deviation of 2,000 draws
    CHECK(share < 0.25 + 4.5 * 0.0097);
    Rig none("future", 0);
    CHECK(sample(none).relabelled == 0);
}

TEST_CASE("the batch has what was achieved later, and whether it is the goal") {
    const SamplerRig rig(kHindsight);
    const tn_sampler_info info = rig.plan();
    CHECK(info.array_count == 2);
    REQUIRE(info.gather_count == 2);
    CHECK(tenon::to_view(info.gathers[1]->source) == "next.achieved_goal");
    CHECK(tenon::to_view(info.gathers[1]->target) == "hindsight.goal");
    CHECK(info.gathers[1]->array == 1);
    REQUIRE(info.column_count == 1);
    CHECK(tenon::to_view(info.columns[0]->key) == "hindsight.relabelled");
}

}  // namespace hindsight_test
