// SPDX-License-Identifier: Apache-2.0
// Which columns reward_success, reward_linearise and target_return refuse, and the state of target_return.
#include <cstdint>
#include <string>
#include <vector>

#include "rewards/reward_linearise.hpp"
#include "rewards/reward_success.hpp"
#include "rewards/target_return.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace success_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kSuccess = tenon::transform<RewardSuccess>("reward_success", "for success");
constexpr auto kLinearise = tenon::transform<RewardLinearise>("reward_linearise", "sums");
constexpr auto kTarget = tenon::transform<TargetReturn>("target_return", "what is left");

std::vector<tenon::Spec> specs(tenon::Spec reward = tenon::unbounded("reward")) {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {2})),
            with_role(TN_ROLE_OBSERVATION, tenon::unbounded("distance", {})),
            with_role(TN_ROLE_EXTRA, tenon::binary("info.success", {})),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)), with_role(TN_ROLE_REWARD, std::move(reward))};
}

}  // namespace

TEST_CASE("success may be a number above a threshold") {
    TransformRig rig(kSuccess, specs(), 3, 1, [](auto& options) {
        options["success"].text = tenon::to_str("distance");
        options["above"].real = 2;
    });
    rig.reset(0);
    rig.flags(0, 0, false);
    rig.flags(1, 0, false);
    rig.inner.at<float>("distance", 1, 0) = 2;
    rig.step(0);
    CHECK(rig.out<float>("reward", 0, 0) == 0);
    rig.inner.at<float>("distance", 2, 0) = 2.5;
    rig.step(1);
    CHECK(rig.out<float>("reward", 1, 0) == 1);
}

TEST_CASE("what the rewards are made of must fit") {
    const auto told_by = [](const char* key) {
        return [key](auto& options) { options["success"].text = tenon::to_str(key); };
    };
    for (const std::string key : {"observation", "info.success", "action"}) {
        CHECK(refusal(kSuccess, specs(), told_by(key.c_str())) ==
              "column '" + key + "' cannot tell of success: it is not an observation or reward of one number");
    }
    CHECK(refusal(kSuccess, specs(tenon::unbounded("reward", {2})), told_by("distance")) ==
          "column 'reward' is not a reward of one number per step");
    CHECK(refusal(kLinearise, specs()) == "column 'reward' is not a reward of several numbers");
    CHECK(refusal(kLinearise, specs(tenon::unbounded("reward", {3})), [](auto& options) {
              static constexpr double kTwo[] = {1, 2};
              options["weights"].reals = kTwo;
              options["weights"].count = 2;
          }) == "option 'weights' must have one number, or one for each of the 3 numbers of 'reward'");
    CHECK(refusal(kTarget, specs(tenon::unbounded("reward", {2})), [](auto& options) { options["target"].real = 1; }) ==
          "column 'reward' is not a reward of one number per step");
}

TEST_CASE("what is left of a target is saved") {
    const auto target = [](auto& options) { options["target"].real = 10; };
    TransformRig whole(kTarget, specs(), 4, 2, target);
    TransformRig resumed(kTarget, specs(), 4, 2, target);
    whole.reset(0);
    whole.flags(0, 0, false);
    whole.flags(0, 1, false);
    whole.inner.at<float>("reward", 0, 1) = 3;
    whole.step(0);
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    for (TransformRig* rig : {&whole, &resumed}) {
        rig->flags(1, 0, false);
        rig->flags(1, 1, false);
        rig->inner.at<float>("reward", 1, 1) = 2;
        rig->step(1);
        CHECK(rig->out<float>("target_return", 2, 1) == 5);
    }
}

}  // namespace success_test
