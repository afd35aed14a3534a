// SPDX-License-Identifier: Apache-2.0
// trajectory_counter over lanes, terminate, primer's draws, action_mask: what they write, save and refuse.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "episodes/action_mask.hpp"
#include "episodes/primer.hpp"
#include "episodes/terminate.hpp"
#include "episodes/trajectory_counter.hpp"
#include "support/catch.hpp"
#include "support/transform_rig.hpp"

namespace ends_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;

namespace {

constexpr auto kCounter = tenon::transform<TrajectoryCounter>("trajectory_counter", "numbers");
constexpr auto kTerminate = tenon::transform<Terminate>("terminate", "ends");
constexpr auto kPrimer = tenon::transform<Primer>("primer", "numbers");
constexpr auto kMask = tenon::transform<ActionMask>("action_mask", "allows");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {2})),
            with_role(TN_ROLE_OBSERVATION, tenon::bounded("legal", {3}, 0, 9, TN_I32)),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 3)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward")), with_role(TN_ROLE_EXTRA, tenon::unbounded("lives"))};
}

void skill(tenon::test::OptionValues<Primer>& options, const char* draw) {
    static constexpr std::int64_t kShape[] = {2, 3};
    options["column"].text = tenon::to_str("skill");
    options["shape"].integers = kShape;
    options["shape"].count = 2;
    options["draw"].text = tenon::to_str(draw);
    options["low"].real = -2;
}

// A step of all lanes, of which those of the mask begin the next episode.
void step(TransformRig& rig, std::uint32_t slot, const std::vector<std::uint8_t>& ends) {
    for (std::uint32_t lane = 0; lane < ends.size(); ++lane) {
        rig.flags(slot, lane, ends[lane] != 0);
    }
    rig.step(slot);
    rig.reset(slot + 1, ends);
}

std::vector<float> skill_of(TransformRig& rig, std::uint32_t slot, std::uint32_t lane) {
    std::vector<float> out;
    for (std::size_t i = 0; i < 6; ++i) {
        out.push_back(rig.out<float>("skill", slot, lane, i));
    }
    return out;
}

}  // namespace

TEST_CASE("numbers of episodes are unique over lanes, whichever of them end") {
    TransformRig rig(kCounter, specs(), 9, 3, [](auto& options) { options["unique"].integer = 1; });
    rig.reset(0);
    std::set<std::int64_t> seen;
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        std::vector<std::uint8_t> ends = {slot % 2 == 0, slot % 3 == 0, slot == 5};
        for (std::uint32_t lane = 0; lane < 3; ++lane) {
            const auto number = rig.out<std::int64_t>("traj_count", slot, lane);
            CHECK(number % 3 == lane);
            CHECK(seen.contains(number) == (slot > 0 && number == rig.out<std::int64_t>("traj_count", slot - 1, lane)));
            seen.insert(number);
        }
        step(rig, slot, ends);
    }
}

TEST_CASE("numbers of episodes go on after a saved state, and begin anew with a seed") {
    TransformRig whole(kCounter, specs(), 4, 1);
    TransformRig resumed(kCounter, specs(), 4, 1);
    whole.reset(0);
    step(whole, 0, {1});
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    step(resumed, 1, {1});
    CHECK(resumed.out<std::int64_t>("traj_count", 2, 0) == 2);
    resumed.reset(0, {1}, {5});
    CHECK(resumed.out<std::int64_t>("traj_count", 0, 0) == 0);
}

TEST_CASE("terminate compares an element in each way, and may truncate") {
    const auto ends = [](const char* when, double x, bool truncates) {
        TransformRig rig(kTerminate, specs(), 2, 1, [&](auto& options) {
            options["column"].text = tenon::to_str("observation");
            options["element"].integer = 1;
            options["when"].text = tenon::to_str(when);
            options["value"].real = 2;
            options["truncates"].integer = truncates ? 1 : 0;
        });
        rig.inner.at<float>("observation", 1, 0, 1) = static_cast<float>(x);
        rig.flags(0, 0, false);
        rig.step(0);
        CHECK_FALSE(rig.inner.at<bool>(truncates ? "terminated" : "truncated", 0, 0));
        return rig.inner.at<bool>(truncates ? "truncated" : "terminated", 0, 0);
    };
    for (const bool truncates : {false, true}) {
        CHECK((ends("above", 2.5, truncates) && !ends("above", 2, truncates)));
        CHECK((ends("at_least", 2, truncates) && !ends("at_least", 1.5, truncates)));
        CHECK((ends("below", 1.5, truncates) && !ends("below", 2, truncates)));
        CHECK((ends("at_most", 2, truncates) && !ends("at_most", 2.5, truncates)));
        CHECK((ends("equal", 2, truncates) && !ends("equal", 2.5, truncates)));
    }
}

TEST_CASE("an extra of the next episode ends nothing") {
    TransformRig rig(kTerminate, specs(), 2, 1, [](auto& options) { options["column"].text = tenon::to_str("lives"); });
    rig.inner.at<float>("lives", 1, 0) = 3;
    rig.flags(0, 0, false, true);
    rig.step(0);
    CHECK_FALSE(rig.inner.at<bool>("terminated", 0, 0));
    rig.flags(0, 0, false);
    rig.step(0);
    CHECK(rig.inner.at<bool>("terminated", 0, 0));
}

TEST_CASE("a primer's numbers stay for an episode, and differ between lanes and episodes") {
    for (const char* draw : {"uniform", "normal"}) {
        TransformRig rig(kPrimer, specs(), 4, 2, [&](auto& options) { skill(options, draw); });
        CHECK(rig.spec("skill").shape == tenon::Shape{2, 3});
        rig.reset(0);
        const std::vector<float> first = skill_of(rig, 0, 0);
        CHECK(first != skill_of(rig, 0, 1));
        step(rig, 0, {0, 1});
        CHECK(skill_of(rig, 1, 0) == first);
        CHECK(rig.out<float>("next.skill", 0, 1) == rig.out<float>("skill", 0, 1));
        CHECK(skill_of(rig, 1, 1) != skill_of(rig, 0, 1));
        for (const float x : first) {
            CHECK((draw == std::string("normal") || (x >= -2 && x <= 1)));
        }
        CHECK(rig.canaries_intact());
    }
}

TEST_CASE("a primer's numbers and generators are saved") {
    const auto drawn = [](auto& options) { skill(options, "normal"); };
    TransformRig whole(kPrimer, specs(), 5, 2, drawn);
    TransformRig resumed(kPrimer, specs(), 5, 2, drawn);
    whole.reset(0);
    step(whole, 0, {1, 0});
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 2) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 2) == TN_OK);
    for (std::uint32_t slot = 1; slot < 4; ++slot) {
        for (TransformRig* rig : {&whole, &resumed}) {
            step(*rig, slot, {slot == 2, 1});
        }
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            CHECK(skill_of(whole, slot + 1, lane) == skill_of(resumed, slot + 1, lane));
        }
    }
}

TEST_CASE("a mask is made of numbers, at the start and after steps") {
    for (const bool forbids : {false, true}) {
        TransformRig rig(kMask, specs(), 3, 1, [&](auto& options) {
            options["from"].text = tenon::to_str("legal");
            options["above"].real = 1;
            options["forbids"].integer = forbids ? 1 : 0;
        });
        CHECK(rig.spec("action_mask").kind == TN_SPEC_BINARY);
        const auto expect = [&](const std::string& key, std::uint32_t slot) {
            for (std::size_t i = 0; i < 3; ++i) {
                CHECK(rig.out<bool>(key, slot, 0, i) == ((i == 2) != forbids));
            }
        };
        for (std::int32_t i = 0; i < 3; ++i) {
            rig.inner.at<std::int32_t>("legal", 0, 0, static_cast<std::size_t>(i)) = i;
            rig.inner.at<std::int32_t>("next.legal", 0, 0, static_cast<std::size_t>(i)) = i;
        }
        rig.reset(0);
        expect("action_mask", 0);
        rig.flags(0, 0, true);
        rig.step(0);
        expect("next.action_mask", 0);
    }
}

TEST_CASE("columns that do not fit are refused") {
    const auto from = [](const char* key) {
        return [key](auto& options) { options["from"].text = tenon::to_str(key); };
    };
    CHECK(refusal(kMask, specs(), from("observation")) ==
          "column 'observation' is not an observation with an element for each of the 3 choices of 'action'");
    std::vector<tenon::Spec> box = specs();
    box[2] = with_role(TN_ROLE_ACTION, tenon::bounded("action", {3}, -1, 1));
    CHECK(refusal(kMask, box, from("legal")) == "column 'action' is not an action that is a choice");
    CHECK(refusal(kTerminate, specs(), [](auto& options) {
              options["column"].text = tenon::to_str("observation");
              options["element"].integer = 2;
          }) == "element 2 is not one of the 2 elements of 'observation'");
    CHECK(refusal(kPrimer, specs(), [](auto& options) { options["column"].text = tenon::to_str("legal"); }) ==
          "the column 'legal' already exists; give the new one another key");
    CHECK(refusal(kPrimer, specs(), [](auto& options) { options["low"].real = 1; }) ==
          "option 'low' must be below option 'high'");
}

}  // namespace ends_test
