// SPDX-License-Identifier: Apache-2.0
// Columns that are asked for by a number or a type that they do not have: one sentence, which names the column and what
// there is.
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "support/policy_rig.hpp"
#include "tenon/env.hpp"
#include "tenon/policy.hpp"

namespace misuse_test {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;
using tenon::test::EnvRig;
using tenon::test::PluginHost;
using tenon::test::PluginInstance;
using tenon::test::PolicyRig;

namespace {

struct Asks {
    std::int64_t which = 0;
    static constexpr auto options =
        std::tuple{tenon::option<&Asks::which>("which", 0, "[0,5]", "what is asked for that is not there")};

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("place", {2}), tenon::unbounded("seen", {}, TN_U8)},
                .actions = {tenon::categorical("turn", 2)}};
    }
    static void reset(const tenon::EnvRow& /*row*/) {}
    [[nodiscard]] tenon::StepResult step(const tenon::EnvRow& row) const {
        switch (which) {
            case 0:
                row.observation<float>(2)[0] = 1;
                break;
            case 1:
                row.extra<float>()[0] = 1;
                break;
            case 2:
                return {.reward = row.action<double>(1)[0]};
            case 3:
                row.observation<double>(1)[0] = 1;
                break;
            default:
                return {.reward = row.action<float>()[0]};
        }
        return {};
    }
};

struct AsksAsPolicy {
    static void act(const tenon::PolicyRow& row) {
        row.action<std::int64_t>()[0] = static_cast<std::int64_t>(row.observation<float>(1)[0]);
    }
};

// One action, in whatever type the option says.
template <class Action>
struct Takes {
    std::string kind;
    static constexpr auto options =
        std::tuple{tenon::option<&Takes::kind>("type", "f32", "f32|f64|i64|i32|u8", "the type of the action's column")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        const std::int32_t type = kind == "f32"   ? TN_F32
                                  : kind == "f64" ? TN_F64
                                  : kind == "i64" ? TN_I64
                                  : kind == "i32" ? TN_I32
                                                  : TN_U8;
        return {.observations = {tenon::unbounded("observation", {1})},
                .actions = {tenon::bounded("push", {}, 0, 3, type)}};
    }
    static void reset(std::span<float> observation) { observation[0] = 0; }
    static tenon::StepResult step(Action action, std::span<float> /*observation*/) {
        return {.reward = static_cast<double>(action)};
    }
};

// The const of the action's span is missing, and there is no observation to write beside it.
struct Forgets {
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("turn", 2)}};
    }
    static void reset(std::span<float> observation) { observation[0] = 0; }
    static tenon::StepResult step(std::span<std::int64_t> action) { return {.reward = static_cast<double>(action[0])}; }
};

template <class Action>
double reward_of(const std::string& type, auto element) {
    EnvRig rig(tenon::env<Takes<Action>>("Takes-v0", "takes"), 1, 2,
               [&](auto& options) { options["type"].text = tenon::to_str(type); });
    rig.reset({1});
    rig.columns.template at<decltype(element)>("push", 0, 0) = element;
    REQUIRE(rig.step(0, 1) == TN_OK);
    REQUIRE(rig.lane_status[0] == TN_OK);
    return rig.columns.template at<float>("reward", 0, 0);
}

template <class Env>
std::string refusal(const std::string& type = "") {
    PluginHost host;
    const PluginInstance instance(host, tenon::env<Env>("Refused-v0", "is refused"), 1, [&](auto& options) {
        if (!type.empty()) {
            options["type"].text = tenon::to_str(type);
        }
    });
    CHECK(instance.status() == TN_INTERNAL);
    return host.error;
}

}  // namespace

TEST_CASE("a row's column that is not there or of another type is named with what there is") {
    const auto told = [](std::int64_t which) {
        EnvRig rig(tenon::env<Asks>("Asks-v0", "asks"), 1, 2, [&](auto& options) { options["which"].integer = which; });
        rig.reset({1});
        REQUIRE(rig.step(0, 1) == TN_OK);
        CHECK(rig.lane_status[0] == TN_INVALID_ARGUMENT);
        return rig.host.error;
    };
    CHECK(told(0) == "there is no observation 2: 0 is 'place' (float32), 1 is 'seen' (uint8)");
    CHECK(told(1) == "there is no extra 0: the env has no extras");
    CHECK(told(2) == "there is no action 1: 0 is 'turn' (int64)");
    CHECK(told(3) == "column 'seen' is uint8, but was requested as float64");
    CHECK(told(4) == "column 'turn' is int64, but was requested as float32");
}

TEST_CASE("a policy's row names them as well") {
    PolicyRig rig(tenon::policy<AsksAsPolicy>("asks", "asks"),
                  {tenon::unbounded("observation", {1}), tenon::categorical("action", 2)}, 1, 1);
    CHECK(rig.act(0, 0, 1) == TN_INVALID_ARGUMENT);
    CHECK(rig.host.error == "there is no observation 1: 0 is 'observation' (float32)");
}

TEST_CASE("an action taken as one number fits columns of all sizes of its kind") {
    CHECK(reward_of<double>("f32", 1.5F) == 1.5);
    CHECK(reward_of<double>("f64", 1.5) == 1.5);
    CHECK(reward_of<float>("f64", 1.5) == 1.5);
    CHECK(reward_of<std::int64_t>("i32", std::int32_t{3}) == 3);
    CHECK(reward_of<std::int64_t>("u8", std::uint8_t{3}) == 3);
    CHECK(reward_of<int>("i64", std::int64_t{2}) == 2);
    CHECK(reward_of<int>("u8", std::uint8_t{2}) == 2);
}

TEST_CASE("what does not fit is told with the line of the spec") {
    const std::string place = R"( \(.*misuse_test\.cpp:\d+\))";
    CHECK_THAT(refusal<Takes<std::int64_t>>("f32"),
               Matches("step takes the action 'push' as int64, but spec\\(\\) says float32" + place));
    CHECK_THAT(refusal<Takes<double>>("i64"),
               Matches("step takes the action 'push' as float64, but spec\\(\\) says int64" + place));
    CHECK_THAT(refusal<Forgets>(),
               Matches("step takes the observation 'observation' as int64, but spec\\(\\) says float32" + place +
                       "; to take the action 'turn', say const: std::span<const ...>"));
    tenon::Spec indices = tenon::categorical("turn", 2);
    indices.dtype = TN_F32;
    CHECK_THROWS_WITH(tenon::SpecTable({indices}),
                      Matches("spec 'turn' has indices of categories, which must be TN_I64, but is "
                              "float32" +
                              place));
}

}  // namespace misuse_test
