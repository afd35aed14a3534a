// SPDX-License-Identifier: Apache-2.0
// Envs of batches that answer later: "tenon.env.async/1" around submit, is_ready and receive.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace env_async_test {

using tenon::test::EnvRig;

namespace {

// A lane is ready when the test says so.
std::vector<std::uint32_t> ready;

struct Echo {
    std::string fault;
    std::vector<float> actions;

    static constexpr auto options = std::tuple{tenon::option<&Echo::fault>("fault", "", "what goes wrong")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})},
                .actions = {tenon::bounded("action", {1}, -9, 9)}};
    }
    void open(tenon::EnvBatch batch) { actions.resize(batch.lanes); }
    static void reset(const tenon::EnvRows& rows) {
        rows.each([](const tenon::BatchRow& row) { row.observation<float>()[0] = 0; });
    }
    void step(const tenon::EnvRows& rows) {
        submit(rows);
        receive(rows);
    }
    void submit(const tenon::EnvRows& rows) {
        rows.each([&](const tenon::BatchRow& row) { actions[row.lane()] = row.action<float>()[0]; });
        if (fault == "throws") {
            throw tenon::Unavailable("the line is dead");
        }
    }
    static bool is_ready(std::uint32_t lane) { return std::ranges::find(ready, lane) != ready.end(); }
    void receive(const tenon::EnvRows& rows) const {
        rows.each([&](const tenon::BatchRow& row) {
            if (fault == "parks") {
                rows.park(row.lane(), TN_LOST, "it has hung up");
                return;
            }
            row.observation<float>()[0] = actions[row.lane()];
            row.result(10.0 * actions[row.lane()], false, false);
        });
    }
    [[nodiscard]] std::uint32_t at_once() const {
        if (fault == "together") {
            throw tenon::Unavailable("they speak in chorus");
        }
        return 2;
    }
};

struct Together {
    static tenon::EnvSpec spec() { return Echo::spec(); }
    static void reset(const tenon::EnvRows&) {}
    static void step(const tenon::EnvRows&) {}
};

constexpr auto kEcho = tenon::env<Echo>("Echo-v0", "");

struct Rig : EnvRig {
    explicit Rig(const std::string& fault = "")
        : EnvRig(kEcho, 4, 3, [&](auto& values) { values["fault"].text = tenon::to_str(fault); }),
          async(instance.api<tn_env_async_api>("tenon.env.async/1")) {
        ready.clear();
        reset({1, 2, 3, 4});
    }
    tn_status submit(const std::vector<std::uint32_t>& lanes, float action) {
        for (const std::uint32_t lane : lanes) {
            columns.at<float>("action", 0, lane) = action;
        }
        const tn_env_submit call{.struct_size = sizeof call,
                                 .slot = 0,
                                 .lanes = lanes.data(),
                                 .count = static_cast<std::uint32_t>(lanes.size()),
                                 .flags = 0};
        return async->submit(instance.self(), &call);
    }
    std::vector<std::uint32_t> poll(std::uint32_t least, std::uint32_t milliseconds = 0) {
        std::vector<std::uint32_t> lanes(4);
        tn_env_poll call{.struct_size = sizeof call,
                         .slot = 1,
                         .next_slot = 2,
                         .least = least,
                         .milliseconds = milliseconds,
                         .count = 0,
                         .lanes = lanes.data()};
        REQUIRE(async->poll(instance.self(), &call) == TN_OK);
        lanes.resize(call.count);
        return lanes;
    }

    const tn_env_async_api* async;
};

}  // namespace

TEST_CASE("lanes are reported once, when the author says that they are ready") {
    Rig rig;
    REQUIRE(rig.submit({0, 1, 3}, 5) == TN_OK);
    CHECK(rig.poll(0).empty());
    ready = {0, 2, 3};
    CHECK(rig.poll(1) == std::vector<std::uint32_t>{0, 3});
    CHECK(rig.poll(1).empty());
    CHECK(rig.columns.at<float>("observation", 2, 3) == 5);
    CHECK(rig.columns.at<float>("reward", 1, 3) == 50);
    ready = {1};
    REQUIRE(rig.submit({0}, 7) == TN_OK);
    CHECK(rig.poll(2, 1) == std::vector<std::uint32_t>{1});
    CHECK(rig.columns.at<float>("observation", 2, 1) == 5);
}

TEST_CASE("an env says how many lanes step at once, or why they cannot step alone") {
    tn_env_async_info info{.struct_size = sizeof info, .at_once = 0};
    Rig rig;
    REQUIRE(rig.async->describe(rig.instance.self(), &info) == TN_OK);
    CHECK(info.at_once == 2);
    Rig together("together");
    CHECK(together.async->describe(together.instance.self(), &info) == TN_UNAVAILABLE);
    CHECK(together.host.error == "they speak in chorus");
    EnvRig usual(tenon::env<Together>("Together-v0", ""), 2, 3);
    CHECK(usual.instance.api<tn_env_async_api>("tenon.env.async/1") == nullptr);
}

TEST_CASE("a failure on the way is a status, of the call or of the lane") {
    Rig dead("throws");
    CHECK(dead.submit({0, 1}, 1) == TN_UNAVAILABLE);
    CHECK(dead.host.error == "the line is dead");
    ready = {0, 1};
    CHECK(dead.poll(1).empty());
    Rig parks("parks");
    ready = {2};
    REQUIRE(parks.submit({2, 3}, 1) == TN_OK);
    CHECK(parks.poll(1) == std::vector<std::uint32_t>{2});
    CHECK(parks.lane_status[2] == TN_LOST);
    CHECK(parks.lane_status[3] == TN_OK);
}

}  // namespace env_async_test
