// SPDX-License-Identifier: Apache-2.0
// Which columns are masks, what is wrong with some, and draws under them.
#include "base/data/action_mask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "support/catch.hpp"

namespace action_mask_test {

namespace {

using namespace tenon;

Spec column(const char* key, Role role, SpecKind kind, DType dtype, Shape shape, std::vector<std::int64_t> categories) {
    Spec spec;
    spec.key = key;
    spec.role = role;
    spec.kind = kind;
    spec.dtype = dtype;
    spec.shape = shape;
    spec.categories = std::move(categories);
    return spec;
}

Spec choice(const char* key, std::int64_t n) {
    return column(key, Role::kAction, SpecKind::kCategorical, DType::kI64, {}, {n});
}

Spec parts(const char* key, const std::vector<std::int64_t>& sizes) {
    return column(key, Role::kAction, SpecKind::kMultiCategorical, DType::kI64,
                  {static_cast<std::int64_t>(sizes.size())}, sizes);
}

Spec hot(const char* key, std::int64_t n) {
    return column(key, Role::kAction, SpecKind::kOneHot, DType::kBool, {n}, {n});
}

Spec mask(const char* key, std::int64_t n) {
    return column(key, Role::kObservation, SpecKind::kBinary, DType::kBool, {n}, {});
}

TEST_CASE("a mask is the observation that is called like its action") {
    const Composite specs{{mask("b.action_mask", 3), choice("action", 2), choice("b.action", 3), mask("mask", 2)}};
    CHECK(fault_of_masks(specs).empty());
    const std::vector<ActionMask> masks = action_masks(specs);
    REQUIRE(masks.size() == 1);
    CHECK(masks[0].key == "b.action_mask");
    CHECK(masks[0].action == "b.action");
    CHECK(masks[0].parts == std::vector<std::int64_t>{3});
    // an extra column of that name is not shown to policies and is none
    Composite extra{{choice("action", 2), mask("action_mask", 3)}};
    extra.specs[1].role = Role::kExtra;
    CHECK(action_masks(extra).empty());
    CHECK(fault_of_masks(extra).empty());
}

TEST_CASE("what cannot be a mask is refused") {
    const Composite numbers{
        {choice("action", 2), column("action_mask", Role::kObservation, SpecKind::kUnbounded, DType::kF32, {2}, {})}};
    CHECK(fault_of_masks(numbers) ==
          "'action_mask' has the key of a mask for 'action', which has 2 categories, so it must be bool [2]; it is "
          "action_mask: float32 [2]");
    const Composite push{
        {column("push", Role::kAction, SpecKind::kUnbounded, DType::kF32, {2}, {}), mask("push_mask", 2)}};
    CHECK(fault_of_masks(push) ==
          "'push_mask' has the key of a mask for 'push', but only categorical, one-hot and multi-categorical actions "
          "have masks; give the column another key");
    const Composite several{
        {column("action", Role::kAction, SpecKind::kCategorical, DType::kI64, {3}, {2}), mask("action_mask", 2)}};
    CHECK(fault_of_masks(several).ends_with("have masks; give the column another key"));
    const Composite short_of_one{{parts("action", {3, 2}), mask("action_mask", 4)}};
    CHECK(fault_of_masks(short_of_one) ==
          "'action_mask' has the key of a mask for 'action', which has 5 categories in all, so it must be bool [5]; "
          "it is action_mask: bool [4] of 0 and 1");
}

TEST_CASE("the mask of several choices has them one after the other, and must leave something of each") {
    const Composite specs{
        {parts("action", {3, 2}), mask("action_mask", 5), hot("b.action", 4), mask("b.action_mask", 4)}};
    CHECK(fault_of_masks(specs).empty());
    const std::vector<ActionMask> masks = action_masks(specs);
    REQUIRE(masks.size() == 2);
    CHECK(masks[0].parts == std::vector<std::int64_t>{3, 2});
    CHECK(masks[0].size() == 5);
    CHECK(masks[1].size() == 4);
    CHECK(!agent_without_choice(masks[0], std::vector<std::uint8_t>{0, 1, 0, 1, 0}, {}));
    CHECK(agent_without_choice(masks[0], std::vector<std::uint8_t>{1, 1, 1, 0, 0}, {}) == 0);
}

Spec of_group(Spec spec, std::int64_t agents) {
    spec.key = "agents." + spec.key;
    spec.group = "agents";
    spec.shape = join(Shape{agents}, spec.shape);
    return spec;
}

TEST_CASE("the mask of a group has a row for each agent, and those who are absent need no choice") {
    Composite specs{{of_group(choice("action", 3), 2), of_group(mask("action_mask", 3), 2)}};
    CHECK(fault_of_masks(specs).empty());
    const std::vector<ActionMask> masks = action_masks(specs);
    REQUIRE(masks.size() == 1);
    CHECK(masks[0].size() == 6);
    CHECK(masks[0].present.empty());
    const std::vector<std::uint8_t> second_may_not = {0, 1, 0, 0, 0, 0};
    CHECK(agent_without_choice(masks[0], second_may_not, {}) == 1);
    CHECK(agent_without_choice(masks[0], second_may_not, std::vector<std::uint8_t>{1, 1}) == 1);
    CHECK(!agent_without_choice(masks[0], second_may_not, std::vector<std::uint8_t>{1, 0}));
    specs.specs.push_back(of_group(mask("present", 1), 2));
    CHECK(action_masks(specs)[0].present == "agents.present");

    const std::vector<std::uint8_t> different = {0, 1, 0, 1, 0, 1};
    for (std::uint64_t i = 0; i < 20; ++i) {
        std::array<std::int64_t, 2> chosen{};
        draw_allowed(specs.specs[0], different, {3, 4}, 2 * i, chosen.data());
        CHECK(chosen[0] == 1);
        CHECK(chosen[1] != 1);
    }

    specs.specs[1].shape = Shape{2, 4};
    CHECK(
        fault_of_masks(specs).starts_with("'agents.action_mask' has the key of a mask for 'agents.action', which has "
                                          "3 categories for each agent, so it must be bool [2, 3]; it is "));
}

TEST_CASE("draws of several choices and of one-hot actions are even among what is allowed") {
    const std::vector<std::uint8_t> several = {1, 0, 1, 1, 1};
    const std::vector<std::uint8_t> one = {0, 1, 0, 1};
    std::map<std::array<std::int64_t, 2>, int> pairs;
    std::array<int, 4> times{};
    for (std::uint64_t i = 0; i < 4000; ++i) {
        std::array<std::int64_t, 2> drawn{-1, -1};
        draw_allowed(parts("action", {3, 2}), several, {3, 4}, 2 * i, drawn.data());
        ++pairs[drawn];
        std::array<std::uint8_t, 4> flags{9, 9, 9, 9};
        draw_allowed(hot("action", 4), one, {5, 4}, i, flags.data());
        REQUIRE(flags[0] + flags[1] + flags[2] + flags[3] == 1);
        ++times.at(static_cast<std::size_t>(std::ranges::find(flags, 1) - flags.begin()));
    }
    REQUIRE(pairs.size() == 4);
    for (const auto& [pair, count] : pairs) {
        CHECK(pair[0] != 1);
        CHECK(std::abs(count - 1000) < 4.5 * std::sqrt(750));
    }
    CHECK(times[0] + times[2] == 0);
    CHECK(std::abs(times[1] - 2000) < 4.5 * std::sqrt(1000));
}

TEST_CASE("draws are even among what is allowed, whatever type the action has") {
    const std::vector<std::uint8_t> allowed = {1, 0, 1, 1, 0};
    Spec action = choice("action", 5);
    std::array<int, 5> times{};
    for (std::uint64_t i = 0; i < 6000; ++i) {
        std::int64_t drawn = -1;
        draw_allowed(action, allowed, {3, 4}, i, &drawn);
        ++times.at(static_cast<std::size_t>(drawn));
        std::uint8_t small = 9;
        action.dtype = DType::kU8;
        draw_allowed(action, allowed, {3, 4}, i, &small);
        action.dtype = DType::kI64;
        REQUIRE(small == drawn);
    }
    CHECK(times[1] + times[4] == 0);
    for (const std::size_t i : {0U, 2U, 3U}) {
        CHECK(std::abs(times.at(i) - 2000) < 4.5 * std::sqrt(2000 * 2 / 3.0));
    }
    std::int64_t only = -1;
    draw_allowed(choice("action", 3), std::vector<std::uint8_t>{0, 0, 1}, {3, 4}, 0, &only);
    CHECK(only == 2);
}

TEST_CASE("under a mask of nothing a draw is still a category") {
    const std::vector<std::uint8_t> nothing(3, 0);
    std::array<int, 3> times{};
    for (std::uint64_t i = 0; i < 300; ++i) {
        std::int64_t drawn = -1;
        draw_allowed(choice("action", 3), nothing, {3, 4}, i, &drawn);
        ++times.at(static_cast<std::size_t>(drawn));
    }
    CHECK(std::abs(times[1] - 100) < 45);
}

}  // namespace

}  // namespace action_mask_test
