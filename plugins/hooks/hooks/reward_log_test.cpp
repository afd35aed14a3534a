// SPDX-License-Identifier: Apache-2.0
#include "reward_log.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/hook_rig.hpp"

namespace reward_log_test {

using tenon::test::HookRig;

namespace {

constexpr auto kRewardLog = tenon::hook<RewardLog>("reward_log", "of rewards");

auto with(double decay) {
    return [=](auto& options) { options["decay"].real = decay; };
}

void collect(HookRig& rig, const std::vector<float>& rewards) {
    rig.collect(rewards, std::vector<std::uint8_t>(rewards.size(), 0), 1, 0, static_cast<std::uint32_t>(rewards.size()),
                static_cast<std::uint32_t>(rewards.size()));
    REQUIRE(rig.call(TN_HOOK_COLLECTED) == TN_OK);
}

TEST_CASE("mean and deviation of a round, and of all rounds with a decay") {
    HookRig rig(kRewardLog, with(0.5));
    collect(rig, {1, 3});
    CHECK(rig.reported == std::vector<double>{2, 1, 2, 1});
    collect(rig, {5, 5});
    CHECK(rig.reported[0] == 5);
    CHECK(rig.reported[1] == 0);
    // count 0.5 * 2 + 2, sum 0.5 * 4 + 10, squares 0.5 * 10 + 50
    CHECK(rig.reported[2] == 4);
    CHECK(rig.reported[3] == std::sqrt(55.0 / 3 - 16));
}

TEST_CASE("a restored hook continues its sums") {
    HookRig rig(kRewardLog, with(1));
    collect(rig, {1, 3});
    HookRig other(kRewardLog, with(1));
    rig.copy_state_to(other);
    collect(other, {8});
    CHECK(other.reported[2] == 4);
}

}  // namespace
}  // namespace reward_log_test
