// SPDX-License-Identifier: Apache-2.0
#include "imagined.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"

namespace imagined_test {

using tenon::test::WrapperRig;

namespace {

// Counts its steps and where its episodes begin, so that a test sees whether it was stepped.
struct Steps {
    float begun = 0, steps = 0;
    static tenon::EnvSpec spec() {
        return {.observations = {tenon::bounded("observation", {2}, -100, 100), tenon::unbounded("hidden", {1})},
                .actions = {tenon::bounded("action", {1}, -1, 1)}};
    }
    void reset(const tenon::EnvRow& row) {
        begun += 1;
        steps = 0;
        show(row);
    }
    tenon::StepResult step(const tenon::EnvRow& row) {
        steps += 1;
        show(row);
        return {.reward = 7};
    }
    void show(const tenon::EnvRow& row) const {
        row.observation<float>(0)[0] = begun;
        row.observation<float>(0)[1] = steps;
        row.observation<float>(1)[0] = -1;
    }
};
constexpr auto kSteps = tenon::env<Steps>("Steps", "counts");
constexpr auto kImagined = tenon::wrapper<Imagined>("imagined", "is a model");

void imagine(WrapperRig& rig, std::uint32_t slot, float state, float reward, float continues) {
    for (std::uint32_t lane = 0; lane < rig.columns.lanes(); ++lane) {
        for (std::size_t i = 0; i < 2; ++i) {
            rig.columns.at<float>("imagined.state", slot, lane, i) = state + static_cast<float>(i + 10 * lane);
        }
        rig.columns.at<float>("imagined.reward", slot, lane) = reward;
        rig.columns.at<float>("imagined.continues", slot, lane) = continues;
    }
}

}  // namespace

TEST_CASE("imagined steps are what the policy says, and the env says where episodes begin") {
    WrapperRig rig(kImagined, kSteps, 2, 2, [](auto& options) { options["horizon"].integer = 3; });
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    CHECK(rig.columns.at<float>("observation", 0, 1, 0) == 1);
    std::uint32_t slot = 0;
    const auto step = [&](float state, float reward, float continues) {
        imagine(rig, slot, state, reward, continues);
        REQUIRE(rig.step(slot) == TN_OK);
        slot = 1 - slot;
    };
    for (int t = 0; t < 2; ++t) {
        step(40, 0.5F, 1);
        CHECK(rig.columns.at<float>("observation", slot, 0, 0) == 40);
        CHECK(rig.columns.at<float>("observation", slot, 1, 1) == 51);
        CHECK(rig.columns.at<float>("reward", 1 - slot, 1) == 0.5F);
        CHECK_FALSE(rig.columns.at<bool>("truncated", 1 - slot, 1));
    }
    step(60, -1, 0.6F);  // the third is the last
    CHECK(rig.columns.at<bool>("truncated", 1 - slot, 1));
    CHECK(rig.columns.at<float>("next.observation", 1 - slot, 1, 0) == 70);
    CHECK(rig.columns.at<float>("observation", slot, 1, 0) == 2);  // of the env's second episode
    CHECK(rig.columns.at<float>("observation", slot, 1, 1) == 0);
    step(80, 2, 0.4F);
    CHECK(rig.columns.at<bool>("terminated", 1 - slot, 0));
    CHECK_FALSE(rig.columns.at<bool>("truncated", 1 - slot, 0));
    CHECK(rig.columns.at<float>("reward", 1 - slot, 0) == 2);
    CHECK(rig.columns.at<float>("observation", slot, 0, 0) == 3);
}

TEST_CASE("with real the env is stepped as it is") {
    WrapperRig rig(kImagined, kSteps, 2, 2, [](auto& options) {
        options["real"].integer = 1;
        options["horizon"].integer = 1;
    });
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    imagine(rig, 0, 40, 3, 0);
    REQUIRE(rig.step(0) == TN_OK);
    CHECK(rig.columns.at<float>("observation", 1, 1, 1) == 1);
    CHECK(rig.columns.at<float>("reward", 0, 1) == 7);
    CHECK_FALSE(rig.columns.at<bool>("terminated", 0, 1));
    CHECK_FALSE(rig.columns.at<bool>("truncated", 0, 1));
}

TEST_CASE("imagined refuses what no model predicts") {
    const auto refusal = [](const char* key) {
        const tn_str text = tenon::to_str(key);
        WrapperRig rig(kImagined, kSteps, 1, 2, [&](auto& options) { options["columns"].texts = &text; });
        CHECK(rig.describe() == TN_INVALID_ARGUMENT);
        return rig.host.error;
    };
    CHECK(refusal("state") == "columns names 'state', which is no observation of the env");
}

}  // namespace imagined_test
