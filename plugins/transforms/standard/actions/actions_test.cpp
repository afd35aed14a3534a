// SPDX-License-Identifier: Apache-2.0
// Draws of actions, several actions as one, and which actions are refused.
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "actions/action_clip.hpp"
#include "actions/action_discretise.hpp"
#include "actions/action_flatten.hpp"
#include "actions/action_project.hpp"
#include "support/catch.hpp"
#include "support/option_lists.hpp"
#include "support/transform_rig.hpp"

namespace actions_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;
using tenon::test::Words;

namespace {

constexpr auto kClip = tenon::transform<ActionClip>("action_clip", "clips");
constexpr auto kDiscretise = tenon::transform<ActionDiscretise>("action_discretise", "chooses");
constexpr auto kFlatten = tenon::transform<ActionFlatten>("action_flatten", "flattens");
constexpr auto kProject = tenon::transform<ActionProject>("action_project", "projects");

std::vector<tenon::Spec> specs(const std::vector<tenon::Spec>& actions) {
    std::vector<tenon::Spec> out = {with_role(TN_ROLE_OBSERVATION, tenon::unbounded("observation", {1}))};
    for (const tenon::Spec& action : actions) {
        out.push_back(with_role(TN_ROLE_ACTION, action));
    }
    out.push_back(with_role(TN_ROLE_REWARD, tenon::unbounded("reward")));
    return out;
}

void at_random(tenon::test::OptionValues<ActionDiscretise>& options) {
    options["take"].text = tenon::to_str("random");
}

// The env's action after each of some steps with the choice 2 of 5.
std::vector<float> drawn(TransformRig& rig, int steps) {
    std::vector<float> out;
    for (int i = 0; i < steps; ++i) {
        rig.out<std::int64_t>("action", 0, 0) = 2;
        rig.invert(0);
        out.push_back(rig.inner.at<float>("action", 0, 0));
    }
    return out;
}

}  // namespace

TEST_CASE("a random number of an interval is drawn anew each time, and by the lane's seed") {
    const auto box = specs({tenon::bounded("action", {1}, -1, 4)});
    TransformRig rig(kDiscretise, box, 1, 1, at_random);
    CHECK(rig.spec("action").kind == TN_SPEC_CATEGORICAL);
    rig.reset(0, {1}, {7});
    const std::vector<float> first = drawn(rig, 200);
    CHECK(std::set<float>(first.begin(), first.end()).size() > 190);
    for (const float x : first) {
        CHECK((x >= 1 && x <= 2));
    }
    rig.reset(0);
    CHECK(drawn(rig, 200) != first);
    rig.reset(0, {1}, {7});
    CHECK(drawn(rig, 200) == first);
}

TEST_CASE("the generator of random numbers of intervals is saved") {
    const auto box = specs({tenon::bounded("action", {1}, -1, 4)});
    TransformRig whole(kDiscretise, box, 1, 1, at_random);
    TransformRig resumed(kDiscretise, box, 1, 1, at_random);
    static_cast<void>(drawn(whole, 3));
    tenon::test::StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    CHECK(drawn(whole, 5) == drawn(resumed, 5));
}

TEST_CASE("a choice that the env does not have becomes any or its last one") {
    const auto three = specs({tenon::categorical("action", 3)});
    const auto with = [&](const char* instead) {
        TransformRig rig(kProject, three, 1, 1, [&](auto& options) {
            options["choices"].integer = 9;
            options["instead"].text = tenon::to_str(instead);
        });
        std::vector<int> counts(3);
        for (int i = 0; i < 900; ++i) {
            rig.out<std::int64_t>("action", 0, 0) = 3 + i % 6;
            rig.invert(0);
            ++counts.at(static_cast<std::size_t>(rig.inner.at<std::int64_t>("action", 0, 0)));
        }
        return counts;
    };
    CHECK(with("last") == std::vector<int>{0, 0, 900});
    for (const int count : with("random")) {
        CHECK((count > 240 && count < 360));  // 300 each, and 4 standard deviations
    }
}

TEST_CASE("clipping is to the env's bounds, or to those of the options within them") {
    const auto box = specs({tenon::bounded("action", {2}, {-1, -2}, {1, 2})});
    TransformRig plain(kClip, box, 1, 1);
    plain.out<float>("action", 0, 0, 0) = 5;
    plain.out<float>("action", 0, 0, 1) = -5;
    plain.invert(0);
    CHECK(plain.inner.at<float>("action", 0, 0, 0) == 1);
    CHECK(plain.inner.at<float>("action", 0, 0, 1) == -2);
    const double wide = 1.5;
    TransformRig within(kClip, box, 1, 1, [&](auto& options) {
        options["high"].reals = &wide;
        options["high"].count = 1;
    });
    within.out<float>("action", 0, 0, 0) = within.out<float>("action", 0, 0, 1) = 9;
    within.invert(0);
    CHECK(within.inner.at<float>("action", 0, 0, 0) == 1);
    CHECK(within.inner.at<float>("action", 0, 0, 1) == 1.5F);
}

TEST_CASE("several actions become one, in the order of their keys") {
    const Words keys({"turn", "push"});
    const auto flat = [&](auto& options) { keys.into(options["columns"]); };
    TransformRig numbers(kFlatten, specs({tenon::bounded("push", {2}, -1, 1), tenon::unbounded("turn")}), 1, 2, flat);
    CHECK_FALSE(numbers.has("push"));
    CHECK(numbers.spec("action").shape == tenon::Shape{3});
    CHECK(numbers.spec("action").high[1] == 1);
    CHECK(numbers.spec("action").role == TN_ROLE_ACTION);
    for (std::uint32_t lane = 0; lane < 2; ++lane) {
        for (std::size_t i = 0; i < 3; ++i) {
            numbers.out<float>("action", 0, lane, i) = static_cast<float>(10 * lane + i);
        }
    }
    numbers.invert(0);
    CHECK(numbers.inner.at<float>("turn", 0, 1) == 10);
    CHECK(numbers.inner.at<float>("push", 0, 1, 1) == 12);
    CHECK(numbers.canaries_intact());

    const auto choices = specs({tenon::categorical("push", 4), tenon::multi_categorical("turn", {2, 3})});
    TransformRig parts(kFlatten, choices, 1, 1, flat);
    CHECK(parts.spec("action").kind == TN_SPEC_MULTI_CATEGORICAL);
    CHECK(parts.spec("action").categories == std::vector<std::int64_t>{2, 3, 4});
    parts.out<std::int64_t>("action", 0, 0, 2) = 3;
    parts.invert(0);
    CHECK(parts.inner.at<std::int64_t>("push", 0, 0) == 3);
}

TEST_CASE("actions that do not fit are refused") {
    const auto choice = specs({tenon::categorical("action", 3)});
    const auto box = specs({tenon::bounded("action", {2}, -1, 1)});
    CHECK(refusal(kDiscretise, choice) == "column 'action' is not a row of real numbers between bounds");
    CHECK(refusal(kDiscretise, specs({tenon::bounded("action", {1}, 0, INFINITY)})) ==
          "column 'action' has no bounds to cut into intervals");
    const std::vector<std::int64_t> three = {2, 2, 2};
    CHECK(refusal(kDiscretise, box, [&](auto& options) {
              options["intervals"].integers = three.data();
              options["intervals"].count = three.size();
          }) == "option 'intervals' must have one number, or one for each of the 2 elements of 'action'");
    const auto two = [](auto& options) { options["choices"].integer = 2; };
    CHECK(refusal(kProject, box, two) == "column 'action' is not one choice");
    CHECK(refusal(kProject, choice, two) ==
          "option 'choices' is 2, but 'action' of the env has 3; it must have at least these");
    CHECK(refusal(kClip, choice) == "column 'action' has no bounds to clip to");
    const double four = 4;
    CHECK(refusal(kClip, box, [&](auto& options) {
              options["low"].reals = &four;
              options["low"].count = 1;
          }) == "no number is left to 'action': option 'low' is above 'high' or a bound of the env");
    CHECK(refusal(kClip, box, [&](auto& options) {
              static constexpr double kThree[] = {0, 0, 0};
              options["low"].reals = kThree;
              options["low"].count = 3;
          }) == "options 'low' and 'high' must have no number, one, or one for each of the 2 elements");
    const Words both({"turn", "push"});
    const auto flat = [&](auto& options) { both.into(options["columns"]); };
    CHECK(refusal(kFlatten, specs({tenon::categorical("push", 4), tenon::unbounded("turn")}), flat) ==
          "the actions 'turn' and 'push' cannot be one: both must be choices, or numbers of the same type");
    CHECK(refusal(kFlatten, specs({tenon::binary("push", {4}), tenon::unbounded("turn")}), flat) ==
          "column 'push' is not an action of numbers or choices");
}

}  // namespace actions_test
