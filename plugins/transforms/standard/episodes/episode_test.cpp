// SPDX-License-Identifier: Apache-2.0
// init_tracker, and the state that step_counter, reward_sum, time_limit and frame_stack keep per lane.
#include <cstdint>
#include <vector>

#include "episodes/init_tracker.hpp"
#include "episodes/previous_action.hpp"
#include "episodes/step_counter.hpp"
#include "episodes/time_limit.hpp"
#include "observations/frame_stack.hpp"
#include "rewards/reward_sum.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace episode_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("observation", {2, 2}, 0, 255, TN_U8)),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 2)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward"))};
}

// Steps both rigs equally from `slot`, the second one with the first one's state, and compares all outputs.
void expect_resumes(TransformRig& whole, TransformRig& resumed) {
    const auto step = [](TransformRig& rig, std::uint32_t slot) {
        rig.flags(slot, 0, false);
        rig.flags(slot, 1, slot == 2);
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            rig.inner.at<float>("reward", slot, lane) = static_cast<float>(slot + lane);
            for (std::size_t i = 0; i < 4; ++i) {
                rig.inner.at<std::uint8_t>("observation", slot + 1, lane, i) =
                    static_cast<std::uint8_t>(slot * 10 + lane * 4 + i);
                rig.inner.at<std::uint8_t>("next.observation", slot, lane, i) = static_cast<std::uint8_t>(200 + i);
            }
        }
        rig.step(slot);
        if (slot == 2) {
            rig.reset(3, {0, 1});
        }
    };
    whole.reset(0);
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        step(whole, slot);
    }
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    for (std::uint32_t slot = 4; slot < 7; ++slot) {
        step(whole, slot);
        step(resumed, slot);
        CHECK((whole.row_bytes(slot + 1) == resumed.row_bytes(slot + 1)));
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            CHECK(whole.inner.at<bool>("truncated", slot, lane) == resumed.inner.at<bool>("truncated", slot, lane));
        }
    }
}

}  // namespace

TEST_CASE("init_tracker marks the first observation of each episode") {
    TransformRig rig(tenon::transform<InitTracker>("init_tracker", "marks"), specs(), 4, 2);
    CHECK(rig.spec("episode_start").kind == TN_SPEC_BINARY);
    rig.reset(0);
    CHECK(rig.out<bool>("episode_start", 0, 0));
    rig.flags(0, 0, false);
    rig.flags(0, 1, true);
    rig.step(0);
    rig.reset(1, {0, 1});
    CHECK_FALSE(rig.out<bool>("episode_start", 1, 0));
    CHECK(rig.out<bool>("episode_start", 1, 1));
    CHECK_FALSE(rig.out<bool>("next.episode_start", 0, 1));
    CHECK(rig.canaries_intact());
}

TEST_CASE("previous_action is the action of the step before, and 0 where an episode begins") {
    TransformRig rig(tenon::transform<PreviousAction>("previous_action", "remembers"), specs(), 4, 2);
    CHECK(rig.spec("previous_action").kind == TN_SPEC_CATEGORICAL);
    rig.reset(0);
    CHECK(rig.out<std::int64_t>("previous_action", 0, 0) == 0);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        rig.inner.at<std::int64_t>("action", 0, lane) = 1;
        rig.flags(0, lane, lane == 1);
    }
    rig.step(0);
    rig.reset(1, {0, 1});
    CHECK(rig.out<std::int64_t>("previous_action", 1, 0) == 1);
    CHECK(rig.out<std::int64_t>("previous_action", 1, 1) == 0);
    CHECK(rig.out<std::int64_t>("next.previous_action", 0, 1) == 1);
    CHECK(rig.canaries_intact());
}

TEST_CASE("previous_action of an action with bounds has none, as 0 may be outside of them") {
    std::vector<tenon::Spec> list = specs();
    list[1] = with_role(TN_ROLE_ACTION, tenon::bounded("action", {2}, 1, 3));
    const TransformRig rig(tenon::transform<PreviousAction>("previous_action", "remembers"), list, 2, 1);
    CHECK(rig.spec("previous_action").kind == TN_SPEC_UNBOUNDED);
    CHECK(rig.spec("previous_action").shape == tenon::Shape{2});
}

TEST_CASE("what a lane keeps is saved and restored") {
    const auto resumes = [](auto component, const auto& change) {
        TransformRig whole(component, specs(), 8, 2, change);
        TransformRig resumed(component, specs(), 8, 2, change);
        expect_resumes(whole, resumed);
    };
    const auto as_it_is = [](auto&) {};
    resumes(tenon::transform<StepCounter>("step_counter", "counts"), as_it_is);
    resumes(tenon::transform<RewardSum>("reward_sum", "sums"), as_it_is);
    resumes(tenon::transform<FrameStack>("frame_stack", "stacks"), as_it_is);
    resumes(tenon::transform<TimeLimit>("time_limit", "ends"), [](auto& options) { options["max_steps"].integer = 6; });
}

TEST_CASE("frame_stack lengthens the first extent and repeats bounds of elements") {
    std::vector<tenon::Spec> list = specs();
    list[0].low = {0, 1, 2, 3};
    list[0].high = {5, 6, 7, 8};
    const TransformRig rig(tenon::transform<FrameStack>("frame_stack", "stacks"), list, 2, 1,
                           [](auto& options) { options["frames"].integer = 2; });
    CHECK(rig.spec("observation").shape == tenon::Shape{4, 2});
    CHECK(rig.spec("observation").low == std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3});
    list[0] = with_role(TN_ROLE_OBSERVATION, tenon::categorical("observation", 5));
    CHECK(refusal(tenon::transform<FrameStack>("frame_stack", "stacks"), list) ==
          "column 'observation' is categorical and cannot be stacked");
}

TEST_CASE("reward_sum wants one reward") {
    std::vector<tenon::Spec> list = specs();
    list[2].shape = {2};
    CHECK(refusal(tenon::transform<RewardSum>("reward_sum", "sums"), list) ==
          "column 'reward' is not a reward of one number per step");
}

}  // namespace episode_test
