// SPDX-License-Identifier: Apache-2.0
// The forms in which an author may write reset and step.
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/env_rig.hpp"
#include "tenon/env.hpp"

namespace env_form_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::EnvRig;

namespace {

// Continuous actions of fixed length, a generator in step, double observations and rewards, arguments in another order.
struct Drift {
    static constexpr std::int64_t max_episode_steps = 3;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("position", {}, TN_F64)},
                .actions = {tenon::bounded("push", {2}, -1, 1)},
                .reward = tenon::bounded("reward", {}, 0, 1, TN_F64)};
    }
    static void reset(std::span<double, 1> position) { position[0] = 5; }
    static tenon::StepResult step(std::span<double, 1> position, tenon::Rng& rng, std::span<const float, 2> push) {
        position[0] = double{push[0]} - double{push[1]};
        return {.reward = rng.uniform()};
    }
};

// Two observations, two actions and an extra through a row; says itself when it is cut off.
struct Wide {
    std::int64_t steps = 0;
    static constexpr bool deterministic = false;

    tenon::EnvSpec spec() const {
        return {.observations = {tenon::unbounded("a", {2}), tenon::unbounded("b", {}, TN_U8)},
                .actions = {tenon::categorical("turn", 2), tenon::bounded("speed", {}, 0, 1)},
                .extras = {tenon::unbounded("won", {}, TN_BOOL)}};
    }
    void reset(const tenon::EnvRow& row) {
        steps = 0;
        write(row);
    }
    tenon::StepResult step(tenon::EnvRow row) {
        ++steps;
        write(row);
        return {.reward = static_cast<double>(row.action<std::int64_t>(0)[0]) + row.action<float>(1)[0],
                .truncated = steps == 2};
    }
    void write(const tenon::EnvRow& row) const {
        row.observation<float>(0)[1] = static_cast<float>(steps);
        row.observation<std::uint8_t>(1)[0] = static_cast<std::uint8_t>(steps + 1);
        row.extra<bool>(0)[0] = steps == 1;
    }
};

struct Mismatch : Drift {
    double which;
    static constexpr auto options = std::tuple{tenon::option<&Mismatch::which>("which", 0, "[0,3]", "which mistake")};
    tenon::EnvSpec spec() const {
        tenon::EnvSpec spec = Drift::spec();
        if (which == 0) {
            spec.observations[0].dtype = TN_F32;
        } else if (which == 1) {
            spec.actions[0].shape = {3};
        } else if (which == 2) {
            spec.observations.push_back(tenon::unbounded("more"));
        } else {
            spec.actions[0].key = "reward";
        }
        return spec;
    }
};

}  // namespace

TEST_CASE("spans of fixed length, continuous actions and doubles") {
    EnvRig rig(tenon::env<Drift>("Drift-v0", "drifts"), 2, 2);
    rig.reset({1, 2});
    CHECK(rig.describe().episode_limit == 3);
    CHECK(rig.columns.at<double>("position", 0, 1) == 5);
    rig.columns.at<float>("push", 0, 1, 0) = 0.75F;
    rig.columns.at<float>("push", 0, 1, 1) = 0.25F;
    REQUIRE(rig.step(0, 1) == TN_OK);
    CHECK(rig.columns.at<double>("position", 1, 1) == 0.5);
    CHECK(rig.columns.at<double>("reward", 0, 1) == tenon::Rng(rig.host.table(), {2, 0}).uniform());
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("several observations and actions through a row") {
    EnvRig rig(tenon::env<Wide>("Wide-v0", "wide"), 2, 3);
    CHECK(rig.describe().determinism == TN_DETERMINISM_NONE);
    rig.reset({1, 2});
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        rig.columns.at<std::int64_t>("turn", slot, 1) = 1;
        rig.columns.at<float>("speed", slot, 1) = 0.5F;
        REQUIRE(rig.step(slot, slot + 1) == TN_OK);
        CHECK(rig.columns.at<float>("reward", slot, 1) == 1.5F);
    }
    CHECK(rig.columns.at<bool>("won", 1, 1));
    CHECK(rig.columns.at<bool>("truncated", 1, 1));
    CHECK(rig.columns.at<float>("next.a", 1, 1, 1) == 2);
    CHECK(rig.columns.at<std::uint8_t>("next.b", 1, 1) == 3);
    CHECK(rig.columns.at<float>("a", 2, 1, 1) == 0);
    CHECK(rig.columns.at<std::uint8_t>("b", 2, 1) == 1);
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("functions and spec that do not fit together are told apart when the env is made") {
    const auto refused = [](double which, const std::string& why) {
        tenon::test::PluginHost host;
        const tenon::test::PluginInstance instance(host, tenon::env<Mismatch>("Mismatch-v0", "does not fit"), 1,
                                                   [&](auto& options) { options["which"].real = which; });
        CHECK(instance.status() == TN_INTERNAL);
        CHECK_THAT(host.error, ContainsSubstring(why));
    };
    refused(0, "takes the observation 'position' as float64, but spec() says float32");
    refused(1, "step takes 2 elements of the action 'push', but spec() says 3");
    refused(2, "takes one observation, but spec() lists 2");
    refused(3, "two specs have the key 'reward'");
}

}  // namespace env_form_test
