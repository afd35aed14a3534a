// SPDX-License-Identifier: Apache-2.0
// The resulting bounds of rewards and actions, and which bounds are refused.
#include <vector>

#include "actions/action_scale.hpp"
#include "observations/observation_scale.hpp"
#include "rewards/reward_clip.hpp"
#include "rewards/reward_scale.hpp"
#include "rewards/reward_sign.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace reward_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kActionScale = tenon::transform<ActionScale>("action_scale", "scales");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("observation", {2}, -1, 3, TN_U8)),
            with_role(TN_ROLE_ACTION, tenon::bounded("action", {2}, {-2, 0}, {2, 10})),
            with_role(TN_ROLE_REWARD, tenon::bounded("reward", {}, -16, 0.5))};
}

}  // namespace

TEST_CASE("bounds go the way of the values") {
    const TransformRig scaled(tenon::transform<RewardScale>("reward_scale", "scales"), specs(), 2, 1,
                              [](auto& options) { options["offset"].real = 1; });
    CHECK(scaled.spec("reward").low == std::vector{-16 * 0.1 + 1});
    const TransformRig clipped(tenon::transform<RewardClip>("reward_clip", "clips"), specs(), 2, 1);
    CHECK(clipped.spec("reward").low == std::vector{-1.0});
    CHECK(clipped.spec("reward").high == std::vector{0.5});
    const TransformRig actions(kActionScale, specs(), 2, 1);
    CHECK(actions.spec("action").low == std::vector{-1.0});
    CHECK(actions.spec("action").high == std::vector{1.0});
    const TransformRig observed(tenon::transform<ObservationScale>("observation_scale", "scales"), specs(), 2, 1,
                                [](auto& options) {
                                    static constexpr double kScale = 2;
                                    options["scale"].reals = &kScale;
                                });
    CHECK(observed.spec("observation").dtype == TN_F32);
    CHECK(observed.spec("observation").high == std::vector{1.5, 1.5});
}

TEST_CASE("reward_sign keeps the sign") {
    TransformRig rig(tenon::transform<RewardSign>("reward_sign", "the sign"), specs(), 2, 4);
    CHECK(rig.spec("reward").low == std::vector{-1.0});
    CHECK(rig.spec("reward").high == std::vector{1.0});
    const float rewards[] = {-16, 0, 0.25F, 200};
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        rig.inner.at<float>("reward", 0, lane) = rewards[lane];
    }
    rig.step(0);
    CHECK(rig.out<float>("reward", 0, 0) == -1);
    CHECK(rig.out<float>("reward", 0, 1) == 0);
    CHECK(rig.out<float>("reward", 0, 2) == 1);
    CHECK(rig.out<float>("reward", 0, 3) == 1);
}

TEST_CASE("bounds that make no sense are refused") {
    std::vector<tenon::Spec> list = specs();
    list[1] = with_role(TN_ROLE_ACTION, tenon::unbounded("action", {2}));
    CHECK(refusal(kActionScale, list) == "column 'action' has no bounds to scale to");
    list[1] = with_role(TN_ROLE_ACTION, tenon::categorical("action", 2));
    CHECK(refusal(kActionScale, list) == "column 'action' has no bounds to scale to");
    CHECK(refusal(kActionScale, specs(), [](auto& options) { options["low"].real = 1; }) ==
          "option 'low' must be below option 'high'");
    CHECK(refusal(tenon::transform<RewardClip>("reward_clip", "clips"), specs(),
                  [](auto& options) { options["high"].real = -1; }) == "option 'low' must be below option 'high'");
    CHECK(
        refusal(tenon::transform<ObservationScale>("observation_scale", "scales"), specs(), [](auto& options) {
            static constexpr double kThree[] = {1, 1, 1};
            options["offset"].reals = kThree;
            options["offset"].count = 3;
        }) == "options 'offset' and 'scale' must have one number, or one for each of the 2 elements of 'observation'");
}

}  // namespace reward_test
