// SPDX-License-Identifier: Apache-2.0
// go_back on a line, whose episodes have six steps, and on an env whose episodes end by chance.
#include "go_back.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "counting.hpp"
#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"

namespace go_back_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::WrapperRig;

namespace {

constexpr auto kGoBack = tenon::wrapper<GoBack>("go_back", "returns");
constexpr std::int64_t kLength = 6;
constexpr std::array<std::uint64_t, 1> kSeed = {4};

// Action 0 goes to the left, 1 stays, 2 goes to the right.
struct Line {
    std::int64_t at = 0, steps = 0;
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 3)}};
    }
    void reset(std::span<float, 1> observation) {
        at = steps = 0;
        observation[0] = 0;
    }
    tenon::StepResult step(std::int64_t action, std::span<float, 1> observation) {
        at += action - 1;
        observation[0] = static_cast<float>(at);
        return {.reward = 1, .terminated = ++steps == kLength};
    }
};
constexpr auto kLine = tenon::env<Line>("Line", "a line");

// How often episodes have begun at each place, and how many steps were left there; `acts` gives the action of a step.
struct Begun {
    std::map<float, int> times;
    std::map<float, std::int64_t> least_left, most_left;
};
template <class Acts>
Begun begun_in(WrapperRig& rig, int steps, Acts acts) {
    rig.bind();
    rig.reset(0, nullptr, kSeed.data());
    Begun out;
    float from = rig.columns.at<float>("observation", 0, 0);
    std::int64_t made = 0;
    for (int t = 0; t < steps; ++t) {
        const auto slot = static_cast<std::uint32_t>(t % 2);
        rig.columns.at<std::int64_t>("action", slot, 0) = acts(t);
        REQUIRE(rig.step(slot) == TN_OK);
        ++made;
        if (rig.columns.at<bool>("terminated", slot, 0)) {
            ++out.times[from];
            const auto least = out.least_left.try_emplace(from, made).first;
            least->second = std::min(least->second, made);
            out.most_left[from] = std::max(out.most_left[from], made);
            from = rig.columns.at<float>("observation", 1 - slot, 0);
            made = 0;
        }
    }
    return out;
}

}  // namespace

TEST_CASE("go_back begins episodes in all cells that it has seen, about equally often") {
    WrapperRig rig(kGoBack, kLine, 1, 2, [](auto& options) { options["share"].real = 1; });
    const Begun begun = begun_in(rig, 600, [](int) { return 2; });
    CHECK(begun.times.at(0) == 1);  // the first one
    for (int place = 1; place < kLength; ++place) {
        CAPTURE(place);
        REQUIRE(begun.times.contains(static_cast<float>(place)));
        CHECK(begun.times.at(static_cast<float>(place)) > 20);
        CHECK(begun.most_left.at(static_cast<float>(place)) == kLength - place);
    }
    CHECK(begun.times.size() == kLength);
}

TEST_CASE("go_back keeps the shortest way to a cell") {
    WrapperRig rig(kGoBack, kLine, 1, 2, [](auto& options) { options["share"].real = 0.5; });
    // The first episode stays for two steps before it goes to the right.
    const Begun begun = begun_in(rig, 600, [](int t) { return t < 2 ? 1 : 2; });
    CHECK(begun.times.at(0) > 40);
    CHECK(begun.most_left.at(1) == kLength - 1);
    CHECK(begun.most_left.at(3) == kLength - 3);
}

TEST_CASE("go_back joins observations to cells by its resolution, and keeps no more than it should") {
    WrapperRig rig(kGoBack, kLine, 1, 2, [](auto& options) {
        options["share"].real = 1;
        options["resolution"].real = 0.25;
    });
    const Begun begun = begun_in(rig, 200, [](int) { return 2; });
    CHECK(begun.times.size() == 3);  // 0, 1 and 4
    WrapperRig one(kGoBack, kLine, 1, 2, [](auto& options) {
        options["share"].real = 1;
        options["most"].integer = 2;
    });
    CHECK(begun_in(one, 200, [](int) { return 2; }).times.size() == 3);  // 0, 1 and 2
}

TEST_CASE("go_back begins a new episode where one ends on the way") {
    WrapperRig rig(kGoBack, kCounting, 1, 2, [](auto& options) { options["share"].real = 1; });
    const Begun begun = begun_in(rig, 600, [](int t) { return t % 3; });
    CHECK(begun.times.size() > 5);
    CHECK(begun.times.at(0) > 1);  // episodes have 5 to 14 steps, ways up to 13
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("go_back names a column that the env has not") {
    WrapperRig rig(kGoBack, kLine, 1, 2, [](auto& options) { options["column"].text = tenon::to_str("position"); });
    CHECK(rig.describe() == TN_INVALID_ARGUMENT);
    CHECK_THAT(rig.host.error, ContainsSubstring("option 'column' is 'position', which is no observation of the env"));
}

}  // namespace go_back_test
