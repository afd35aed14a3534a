// SPDX-License-Identifier: Apache-2.0
// cast, flatten, rename, select_columns, exclude_columns, select_indices: their effect on specs and rows.
#include <cstdint>
#include <string>
#include <vector>

#include "columns/cast.hpp"
#include "columns/exclude_columns.hpp"
#include "columns/rename.hpp"
#include "columns/select_columns.hpp"
#include "observations/flatten.hpp"
#include "observations/select_indices.hpp"
#include "support/catch.hpp"
#include "support/option_lists.hpp"
#include "support/transform_rig.hpp"

namespace columns_test {

using tenon::test::refusal;
using tenon::test::TransformRig;
using tenon::test::with_role;
using tenon::test::Words;

namespace {

constexpr auto kCast = tenon::transform<Cast>("cast", "casts");
constexpr auto kFlatten = tenon::transform<Flatten>("flatten", "flattens");
constexpr auto kRename = tenon::transform<Rename>("rename", "renames");
constexpr auto kSelectColumns = tenon::transform<SelectColumns>("select_columns", "keeps");
constexpr auto kExcludeColumns = tenon::transform<ExcludeColumns>("exclude_columns", "drops");
constexpr auto kSelectIndices = tenon::transform<SelectIndices>("select_indices", "selects");

std::vector<tenon::Spec> specs() {
    return {with_role(TN_ROLE_OBSERVATION, tenon::bounded("state", {3}, {-1, -2, -3}, {1, 2, 3}, TN_F64)),
            with_role(TN_ROLE_OBSERVATION, tenon::bounded("pixels", {2}, 0, 255, TN_U8)),
            with_role(TN_ROLE_ACTION, tenon::categorical("action", 3)),
            with_role(TN_ROLE_REWARD, tenon::unbounded("reward")), with_role(TN_ROLE_EXTRA, tenon::unbounded("lives"))};
}

}  // namespace

TEST_CASE("cast changes types towards the policy and actions back") {
    const Words keys({"pixels", "action"});
    TransformRig rig(kCast, specs(), 2, 1, [&](auto& options) { keys.into(options["columns"]); });
    CHECK(rig.spec("pixels").dtype == TN_F32);
    CHECK(rig.spec("pixels").high == std::vector{255.0});
    CHECK(rig.spec("action").kind == TN_SPEC_BOUNDED);
    CHECK(rig.spec("action").high == std::vector{2.0});
    CHECK(rig.spec("state").dtype == TN_F64);
    rig.inner.at<std::uint8_t>("pixels", 0, 0, 1) = 200;
    rig.reset(0);
    CHECK(rig.out<float>("pixels", 0, 0, 1) == 200);
    rig.out<float>("action", 0, 0) = 2;
    rig.invert(0);
    CHECK(rig.inner.at<std::int64_t>("action", 0, 0) == 2);
}

TEST_CASE("flatten makes one row of a matrix, with its type, bounds and order") {
    const std::vector<tenon::Spec> matrix = {
        with_role(TN_ROLE_OBSERVATION,
                  tenon::bounded("observation", {2, 3}, {0, 1, 2, 3, 4, 5}, {9, 9, 9, 9, 9, 9}, TN_I32)),
        with_role(TN_ROLE_ACTION, tenon::categorical("action", 3)),
        with_role(TN_ROLE_REWARD, tenon::unbounded("reward"))};
    TransformRig rig(kFlatten, matrix, 2, 1);
    CHECK(rig.spec("observation").shape == tenon::Shape{6});
    CHECK(rig.spec("observation").dtype == TN_I32);
    CHECK(rig.spec("observation").low == std::vector<double>{0, 1, 2, 3, 4, 5});
    for (std::size_t i = 0; i < 6; ++i) {
        rig.inner.at<std::int32_t>("observation", 0, 0, i) = static_cast<std::int32_t>(i) + 3;
    }
    rig.reset(0);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(rig.out<std::int32_t>("observation", 0, 0, i) == static_cast<std::int32_t>(i) + 3);
    }
    CHECK(rig.canaries_intact());
    CHECK(refusal(kFlatten, matrix, [](auto& options) { options["column"].text = tenon::to_str("action"); }) != "");
}

TEST_CASE("rename moves columns to new keys, actions too") {
    const Words from({"state", "action"});
    const Words to({"observation", "agent.move"});
    const auto change = [&](auto& options) {
        from.into(options["columns"]);
        to.into(options["to"]);
    };
    TransformRig rig(kRename, specs(), 2, 1, change);
    CHECK_FALSE(rig.has("state"));
    CHECK(rig.spec("observation").low == std::vector<double>{-1, -2, -3});
    CHECK(rig.spec("agent.move").role == TN_ROLE_ACTION);
    rig.inner.at<double>("next.state", 0, 0, 2) = 1.5;
    rig.flags(0, 0, true);
    rig.step(0);
    CHECK(rig.out<double>("next.observation", 0, 0, 2) == 1.5);
    rig.out<std::int64_t>("agent.move", 0, 0) = 1;
    rig.invert(0);
    CHECK(rig.inner.at<std::int64_t>("action", 0, 0) == 1);

    const Words taken({"pixels", "move"});
    CHECK(refusal(kRename, specs(), [&](auto& options) {
              from.into(options["columns"]);
              taken.into(options["to"]);
          }) == "'state' cannot become 'pixels': a column with this key already exists");
    const Words one({"observation"});
    CHECK(refusal(kRename, specs(), [&](auto& options) {
              from.into(options["columns"]);
              one.into(options["to"]);
          }) == "options 'columns' and 'to' have 2 and 1 keys; each key needs one new key");
}

TEST_CASE("select_columns keeps some observations, actions and rewards; exclude_columns all but some") {
    const Words state({"state"});
    const TransformRig selected(kSelectColumns, specs(), 2, 1, [&](auto& options) { state.into(options["columns"]); });
    CHECK(selected.after.size() == 3);
    CHECK((selected.has("state") && selected.has("action") && selected.has("reward")));
    const TransformRig rest(kExcludeColumns, specs(), 2, 1, [&](auto& options) { state.into(options["columns"]); });
    CHECK(rest.after.size() == 4);
    CHECK_FALSE(rest.has("state"));
    const Words wrong({"stat"});
    const std::string sentence =
        "there is no column 'stat' to transform; there are state, pixels, action, reward, lives";
    CHECK(refusal(kSelectColumns, specs(), [&](auto& options) { wrong.into(options["columns"]); }) == sentence);
    CHECK(refusal(kExcludeColumns, specs(), [&](auto& options) { wrong.into(options["columns"]); }) == sentence);
}

TEST_CASE("select_indices takes elements in the order given, with their bounds") {
    const std::vector<std::int64_t> indices = {2, 0};
    const auto choose = [&](const std::vector<std::int64_t>& list, const char* column) {
        return [&list, column](auto& options) {
            options["column"].text = tenon::to_str(column);
            options["indices"].integers = list.data();
            options["indices"].count = list.size();
        };
    };
    TransformRig rig(kSelectIndices, specs(), 2, 1, choose(indices, "state"));
    CHECK(rig.spec("state").shape == tenon::Shape{2});
    CHECK(rig.spec("state").high == std::vector<double>{3, 1});
    for (std::size_t i = 0; i < 3; ++i) {
        rig.inner.at<double>("state", 0, 0, i) = static_cast<double>(i) + 0.5;
    }
    rig.reset(0);
    CHECK(rig.out<double>("state", 0, 0, 0) == 2.5);
    CHECK(rig.out<double>("state", 0, 0, 1) == 0.5);
    CHECK(rig.canaries_intact());

    const std::vector<std::int64_t> outside = {0, 3};
    CHECK(refusal(kSelectIndices, specs(), choose(outside, "state")) ==
          "index 3 is not one of the 3 elements of 'state'");
    CHECK(refusal(kSelectIndices, specs(), choose(indices, "lives")) == "column 'lives' is not a vector of numbers");
}

}  // namespace columns_test
