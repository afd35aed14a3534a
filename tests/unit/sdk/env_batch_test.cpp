// SPDX-License-Identifier: Apache-2.0
// Envs of batches: one object for all lanes, which gets ranges of them.
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace env_batch_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::EnvRig;

namespace {

// Counts to three in every lane, begins again by itself, and notes what it was called with.
struct Fleet {
    std::vector<std::int64_t> count;
    std::vector<std::uint64_t> seeds;
    std::vector<std::vector<std::uint32_t>> calls;
    static constexpr std::int64_t max_episode_steps = 3;
    static inline Fleet* latest = nullptr;

    void open(tenon::EnvBatch batch) {
        latest = this;
        count.assign(batch.lanes, 0);
        seeds.assign(batch.lanes, 0);
    }
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("count"), tenon::unbounded("twice", {2}, TN_F64)},
                .actions = {tenon::categorical("action", 4)},
                .extras = {tenon::unbounded("lane", {}, TN_I64)}};
    }
    static tenon::PictureSize picture() { return {.height = 1, .width = 2, .steps_per_second = 0}; }
    void draw(std::uint32_t lane, tenon::Picture& out) const {
        out.pixels()[0] = static_cast<std::uint8_t>(lane);
        out.pixels()[5] = static_cast<std::uint8_t>(count[lane]);
    }
    void reset(tenon::EnvRows rows) {
        calls.emplace_back();
        rows.each([&](const tenon::BatchRow& row) {
            calls.back().push_back(row.lane());
            count[row.lane()] = 0;
            seeds[row.lane()] = row.seed().value_or(0);
            write(row);
        });
    }
    void step(tenon::EnvRows rows) {
        calls.emplace_back();
        rows.each([&](const tenon::BatchRow& row) {
            const std::uint32_t lane = row.lane();
            calls.back().push_back(lane);
            const std::int64_t action = row.action<std::int64_t>()[0];
            if (action == 2) {
                throw tenon::Unavailable("the fleet is gone");
            }
            if (action == 1 || action == 3) {
                rows.park(lane, action == 3 ? TN_LOST : TN_INTERNAL, "boat " + std::to_string(lane) + " sank");
                return;
            }
            ++count[lane];
            const bool over = count[lane] == max_episode_steps;
            row.result(static_cast<double>(count[lane]), false, over);
            if (over) {
                row.final_observation<float>(0)[0] = 3;
                row.final_observation<double>(1)[1] = 6;
                count[lane] = 0;
            }
            write(row);
        });
    }
    void write(const tenon::BatchRow& row) const {
        row.observation<float>(0)[0] = static_cast<float>(count[row.lane()]);
        row.observation<double>(1)[1] = static_cast<double>(2 * count[row.lane()]);
        row.extra<std::int64_t>()[0] = row.lane();
    }
    void state(tenon::Archive& archive, std::uint32_t lane) { archive(count[lane]); }
};

constexpr auto kFleet = tenon::env<Fleet>("Fleet-v0", "counts in all lanes");

struct FleetRig : EnvRig {
    explicit FleetRig(std::uint32_t lanes) : EnvRig(kFleet, lanes, 8) {}
    [[nodiscard]] const Fleet& author() const { return *fleet; }
    Fleet* fleet = Fleet::latest;
    void act(std::uint32_t slot, const std::vector<std::int64_t>& actions) {
        for (std::uint32_t lane = 0; lane < actions.size(); ++lane) {
            columns.at<std::int64_t>("action", slot, lane) = actions[lane];
        }
    }
};

}  // namespace

TEST_CASE("an env of batches gets the lanes of a call together") {
    FleetRig rig(3);
    CHECK(rig.describe().episode_limit == 3);
    rig.reset({1, 2, 3});
    rig.act(0, {0, 0, 0});
    REQUIRE(rig.step(0, 1, 0, 1) == TN_OK);
    REQUIRE(rig.step(0, 1, 1, 2) == TN_OK);
    CHECK(rig.author().calls == std::vector<std::vector<std::uint32_t>>{{0, 1, 2}, {0}, {1, 2}});
    CHECK(rig.columns.at<float>("count", 1, 2) == 1);
    CHECK(rig.columns.at<double>("twice", 1, 2, 1) == 2);
    CHECK(rig.columns.at<std::int64_t>("lane", 1, 2) == 2);
    CHECK(rig.columns.at<float>("reward", 0, 2) == 1);
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("an env of batches writes the end of an episode itself") {
    FleetRig rig(2);
    rig.reset({1, 2});
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        rig.act(slot, {0, 0});
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    }
    CHECK(rig.columns.at<bool>("truncated", 2, 1));
    CHECK(!rig.columns.at<bool>("terminated", 2, 1));
    CHECK(rig.columns.at<float>("next.count", 2, 1) == 3);
    CHECK(rig.columns.at<double>("next.twice", 2, 1, 1) == 6);
    CHECK(rig.columns.at<float>("count", 3, 1) == 0);
}

TEST_CASE("reset names the lanes that are asked for, with the seeds of those that start") {
    FleetRig rig(3);
    rig.reset({7, 7, 8});
    const std::vector<std::uint64_t> first = rig.author().seeds;
    CHECK(first[0] == first[1]);  // the host's seed decides, not the lane
    CHECK(first[0] != first[2]);
    const std::vector<std::uint8_t> mask = {0, 1, 0};
    REQUIRE(rig.reset_masked(0, mask.data(), nullptr) == TN_OK);
    CHECK(rig.author().calls.back() == std::vector<std::uint32_t>{1});
    CHECK(rig.author().seeds == std::vector<std::uint64_t>{first[0], 0, first[2]});

    FleetRig unseeded(2);  // a first reset without seeds starts the generators of the run's key
    REQUIRE(unseeded.reset_masked(0, nullptr, nullptr) == TN_OK);
    CHECK(unseeded.author().seeds[0] != 0);
    CHECK(unseeded.author().seeds[0] != unseeded.author().seeds[1]);
}

TEST_CASE("an env of batches gives up single lanes and goes on with the others") {
    FleetRig rig(3);
    rig.reset({1, 2, 3});
    rig.act(0, {0, 1, 0});
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.lane_status == std::vector<std::uint8_t>{0, TN_INTERNAL, 0});
    CHECK(rig.host.error == "boat 1 sank");
    rig.act(1, {0, 0, 0});
    REQUIRE(rig.step(1, 2) == TN_OK);
    CHECK(rig.author().calls.back() == std::vector<std::uint32_t>{0, 2});
    rig.lane_status[2] = TN_INTERNAL;  // by the host, for a reward that is NaN
    rig.act(2, {0, 0, 0});
    REQUIRE(rig.step(2, 3) == TN_OK);
    CHECK(rig.author().calls.back() == std::vector<std::uint32_t>{0});
}

TEST_CASE("a lane that an env of batches has lost begins again with another seed") {
    FleetRig rig(2);
    CHECK(rig.describe().flags == TN_ENV_ALL_LANES);
    rig.reset({1, 2});
    const std::vector<std::uint64_t> first = rig.author().seeds;
    rig.act(0, {3, 0});
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.lane_status == std::vector<std::uint8_t>{TN_LOST, 0});
    const std::vector<std::uint8_t> mask = {1, 0};
    REQUIRE(rig.reset_masked(0, mask.data(), nullptr) == TN_OK);
    CHECK(rig.lane_status == std::vector<std::uint8_t>{0, 0});
    CHECK(rig.author().seeds[0] != 0);
    CHECK(rig.author().seeds[0] != first[0]);
    CHECK(rig.author().seeds[1] == first[1]);
    rig.act(0, {0, 0});
    REQUIRE(rig.step(0, 1, 0, 1) == TN_OK);  // repeated for the lane
    CHECK(rig.columns.at<float>("reward", 0, 0) == 1);
}

TEST_CASE("an exception of an env of batches gives up all lanes of the call") {
    FleetRig rig(3);
    rig.reset({1, 2, 3});
    rig.act(0, {0, 2, 0});
    REQUIRE(rig.step(0, 1, 0, 2) == TN_OK);
    CHECK(rig.lane_status == std::vector<std::uint8_t>{TN_UNAVAILABLE, TN_UNAVAILABLE, 0});
    CHECK(rig.host.error == "the fleet is gone");
}

TEST_CASE("an env of batches draws a lane by its number") {
    EnvRig rig(kFleet, 3, 2);
    rig.reset({1, 2, 3});
    rig.step(0, 1);
    const auto* const render = rig.instance.api<tn_render_api>("tenon.render/1");
    REQUIRE(render != nullptr);
    std::vector<std::uint8_t> pixels(6);
    REQUIRE(render->draw(rig.instance.self(), 2, pixels.data()) == TN_OK);
    CHECK(pixels == std::vector<std::uint8_t>{2, 255, 255, 255, 255, 1});
    CHECK(render->draw(rig.instance.self(), 3, pixels.data()) == TN_INVALID_ARGUMENT);
}

}  // namespace env_batch_test
