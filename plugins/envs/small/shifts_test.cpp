// SPDX-License-Identifier: Apache-2.0
#include "shifts.hpp"

#include "play.hpp"

namespace shifts_test {

using namespace tenon::test;

namespace {

constexpr auto kShifts = tenon::env<Shifts>("Shifts-v0", "agents that come and go");
constexpr std::uint32_t kSlots = 26;  // an episode

void act(EnvRig& rig, std::uint32_t slot, std::size_t agent, std::int64_t action) {
    rig.columns.at<std::int64_t>("agents.action", slot, 0, agent) = action;
}

bool is_present(EnvRig& rig, std::uint32_t slot, std::size_t agent) {
    return rig.columns.at<bool>("agents.present", slot, 0, agent);
}

// The sign that an agent sees, or -1 if it sees none.
std::int64_t sign(EnvRig& rig, std::uint32_t slot, std::size_t agent) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (rig.columns.at<float>("agents.observation", slot, 0, 3 * agent + k) == 1) {
            return static_cast<std::int64_t>(k);
        }
    }
    return -1;
}

void leave_behind(EnvRig& rig, float what) {
    rig.reset({1});
    for (std::uint32_t slot = 0; slot + 1 < kSlots; ++slot) {
        for (std::size_t agent = 0; agent < Shifts::kAgents; ++agent) {
            act(rig, slot, agent, is_present(rig, slot, agent) ? sign(rig, slot, agent) : 999);
        }
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        INFO(rig.host.error);
        REQUIRE(rig.lane_status[0] == TN_OK);
        for (std::size_t agent = 0; agent < Shifts::kAgents; ++agent) {
            const bool worked = is_present(rig, slot, agent);
            CHECK(rig.columns.at<float>("agents.reward", slot, 0, agent) == (worked ? 1 : what));
        }
        CHECK(rig.columns.at<float>("reward", slot, 0) == 1);
    }
}

}  // namespace

TEST_CASE("agents come and go, and their last observation comes with the step in which they leave") {
    EnvRig rig(kShifts, 1, kSlots, [](auto& options) { options["left_behind"].real = -7; });
    leave_behind(rig, -7);
    int left = 0, ended = 0, returned = 0;
    for (std::uint32_t slot = 0; slot + 2 < kSlots; ++slot) {
        CHECK(is_present(rig, slot, 0));
        for (std::size_t agent = 0; agent < Shifts::kAgents; ++agent) {
            const bool before = is_present(rig, slot, agent), after = is_present(rig, slot + 1, agent);
            const bool ends = rig.columns.at<bool>("agents.terminated", slot, 0, agent);
            left += before && !after ? 1 : 0;
            ended += ends ? 1 : 0;
            returned += !before && after ? 1 : 0;
            CHECK((!ends || (before && !after)));
            CHECK((sign(rig, slot + 1, agent) == -1) == (!before && !after));
        }
    }
    CHECK(left > ended);
    CHECK(ended > 0);
    CHECK(returned > 0);
}

TEST_CASE("an action out of range is refused for those who are present only") {
    EnvRig rig(kShifts, 1, 4, [](auto& options) { options["leave"].real = 0; });
    rig.reset({1});
    for (std::size_t agent = 0; agent < Shifts::kAgents; ++agent) {
        act(rig, 0, agent, 0);
    }
    act(rig, 0, 2, 3);
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.lane_status[0] == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "an agent's action is 3, but there are 0 to 2");
}

}  // namespace shifts_test
