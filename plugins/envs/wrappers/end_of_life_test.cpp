// SPDX-License-Identifier: Apache-2.0
// end_of_life on a game with lives: episodes end with a life, the game goes on, and only its end resets it.
#include <cstdint>
#include <span>
#include <string>

#include "counting.hpp"
#include "end_of_life.hpp"
#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"

namespace end_of_life_test {

using Catch::Matchers::ContainsSubstring;
using tenon::test::WrapperRig;

namespace {

constexpr auto kEnds = tenon::wrapper<EndOfLife>("end_of_life", "ends");
constexpr std::int64_t kLives = 3;
constexpr std::int64_t kLife = 4;  // steps

// A life has four steps. It observes {steps of the game, games, the latest action}; a step is rewarded by 1.
struct Lives {
    std::int64_t steps = 0;
    std::int64_t games = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {3})},
                .actions = {tenon::categorical("action", 3)},
                .extras = {tenon::unbounded("info.lives", {}, TN_I64)}};
    }
    void write(const tenon::EnvRow& row, std::int64_t action) const {
        const auto observation = row.observation<float>();
        observation[0] = static_cast<float>(steps);
        observation[1] = static_cast<float>(games);
        observation[2] = static_cast<float>(action);
        row.extra<std::int64_t>()[0] = kLives - steps / kLife;
    }
    void reset(const tenon::EnvRow& row) {
        steps = 0;
        ++games;
        write(row, -1);
    }
    tenon::StepResult step(const tenon::EnvRow& row) {
        ++steps;
        write(row, row.action<std::int64_t>()[0]);
        return {.reward = 1, .terminated = steps == kLives * kLife};
    }
};
constexpr auto kGame = tenon::env<Lives>("Lives", "has lives");

}  // namespace

TEST_CASE("end_of_life ends an episode with every life and resets after the last one alone") {
    WrapperRig rig(kEnds, kGame, 2, 2, [](auto& options) { options["action"].integer = 1; });
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    float game = 1;
    int ends = 0;
    for (std::uint32_t t = 0; t < 40; ++t) {
        const std::uint32_t slot = t % 2;
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            rig.columns.at<std::int64_t>("action", slot, lane) = 2;
        }
        const float before = rig.columns.at<float>("observation", slot, 1);
        REQUIRE(rig.step(slot) == TN_OK);
        CAPTURE(t, before);
        const float after = rig.columns.at<float>("observation", 1 - slot, 1);
        const bool ended = rig.columns.at<bool>("terminated", slot, 1);
        CHECK(rig.columns.at<float>("reward", slot, 1) == 1);
        CHECK_FALSE(rig.columns.at<bool>("truncated", slot, 1));
        CHECK(ended == (static_cast<std::int64_t>(before + 1) % kLife == 0));
        if (!ended) {
            CHECK(after == before + 1);
            CHECK(rig.columns.at<float>("observation", 1 - slot, 1, 2) == 2);
            continue;
        }
        ++ends;
        CHECK(rig.columns.at<float>("next.observation", slot, 1) == before + 1);
        if (static_cast<std::int64_t>(before + 1) == kLives * kLife) {
            CHECK(after == 0);
            CHECK(rig.columns.at<float>("observation", 1 - slot, 1, 1) == ++game);
        } else {  // one step of the option's action, which nobody sees
            CHECK(after == before + 2);
            CHECK(rig.columns.at<float>("observation", 1 - slot, 1, 1) == game);
            CHECK(rig.columns.at<float>("observation", 1 - slot, 1, 2) == 1);
        }
    }
    CHECK(ends > 9);
    CHECK(game > 3);
    CHECK(rig.columns.canaries_intact());
}

TEST_CASE("end_of_life needs lives and one choice") {
    WrapperRig without(kEnds, kCounting, 1, 2);
    CHECK(without.describe() == TN_INVALID_ARGUMENT);
    CHECK_THAT(without.host.error, ContainsSubstring("it has no number 'info.lives'"));
    WrapperRig far(kEnds, kGame, 1, 2, [](auto& options) { options["action"].integer = 3; });
    CHECK(far.describe() == TN_INVALID_ARGUMENT);
    CHECK(far.host.error == "option 'action' is 3, and the env has actions 0 to 2");
}

}  // namespace end_of_life_test
