// SPDX-License-Identifier: Apache-2.0
#include "pixels.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "counting.hpp"
#include "support/catch.hpp"
#include "support/wrapper_rig.hpp"

namespace pixels_test {

using tenon::test::WrapperRig;

namespace {

// Four by two pixels; every pixel is ten times the step of the episode, which has four steps.
struct Lamp {
    std::int64_t steps = 0;

    static tenon::EnvSpec spec() {
        return {.observations = {tenon::unbounded("observation", {1})}, .actions = {tenon::categorical("action", 2)}};
    }
    void reset(std::span<float, 1> observation) {
        steps = 0;
        observation[0] = 0;
    }
    tenon::StepResult step(std::int64_t /*action*/, std::span<float, 1> observation) {
        ++steps;
        observation[0] = static_cast<float>(steps);
        return {.reward = 1, .terminated = steps == 4};
    }
    static tenon::PictureSize picture() { return {.height = 4, .width = 2, .steps_per_second = 0}; }
    void draw(tenon::Picture& out) const {
        const auto bright = static_cast<std::uint8_t>(10 * steps);
        out.fill({bright, bright, bright});
    }
};

// The env Lamp, but its describe fails as on a machine that cannot draw.
struct Dark : Lamp {
    static tenon::PictureSize picture() { throw tenon::Unavailable("there is no display"); }
};

// The same of batches, which begins the next episode whatever the host asks for.
struct Hasty {
    std::vector<std::uint8_t> steps;

    void open(tenon::EnvBatch batch) { steps.assign(batch.lanes, 0); }
    static tenon::EnvSpec spec() { return Lamp::spec(); }
    static tenon::PictureSize picture() { return Lamp::picture(); }
    void draw(std::uint32_t lane, tenon::Picture& out) const {
        std::ranges::fill(out.pixels(), static_cast<std::uint8_t>(10 * steps[lane]));
    }
    void reset(tenon::EnvRows rows) {
        rows.each([&](const tenon::BatchRow& row) {
            steps[row.lane()] = 0;
            row.observation<float>()[0] = 0;
        });
    }
    void step(tenon::EnvRows rows) {
        rows.each([&](const tenon::BatchRow& row) {
            std::uint8_t& now = steps[row.lane()];
            ++now;
            row.result(1, now == 4, false);
            if (row.ended()) {
                row.final_observation<float>()[0] = now;
                now = 0;
            }
            row.observation<float>()[0] = now;
        });
    }
};
constexpr auto kHasty = tenon::env<Hasty>("Hasty-v0", "does not wait");
constexpr auto kDark = tenon::env<Dark>("Dark-v0", "does not shine");
constexpr auto kLamp = tenon::env<Lamp>("Lamp-v0", "shines");
constexpr auto kPixels = tenon::wrapper<Pixels>("pixels", "shows");

// Nine steps of two lanes; `last`: how bright the final picture of an episode is.
template <class Env>
void shows_episodes(Env env, int last) {
    WrapperRig rig(kPixels, env, 2, 2, [](auto& options) {
        options["height"].integer = 2;
        options["width"].integer = 2;
    });
    rig.bind();
    REQUIRE(rig.info.specs[0]->rank == 3);
    CHECK(rig.info.specs[0]->shape[0] == 1);
    CHECK(rig.info.specs[0]->dtype == TN_U8);
    rig.reset(0, nullptr, nullptr);
    CHECK(rig.columns.at<std::uint8_t>("observation", 0, 1, 3) == 0);
    for (std::uint32_t t = 0; t < 9; ++t) {
        const std::uint32_t slot = t % 2;
        rig.columns.at<std::int64_t>("action", slot, 0) = 0;
        rig.columns.at<std::int64_t>("action", slot, 1) = 0;
        REQUIRE(rig.step(slot) == TN_OK);
        const std::uint32_t steps = (t + 1) % 4;
        CHECK(rig.columns.at<std::uint8_t>("observation", 1 - slot, 1, 3) == 10 * steps);
        CHECK(rig.columns.at<bool>("terminated", slot, 1) == (steps == 0));
        if (steps == 0) {
            CHECK(rig.columns.at<std::uint8_t>("next.observation", slot, 1, 0) == last);
        }
    }
    CHECK(rig.columns.canaries_intact());
}

}  // namespace

TEST_CASE("pixels shows what the env draws, and at the end of an episode its last state") {
    shows_episodes(kLamp, 40);
}

TEST_CASE("pixels shows the picture before the last step of an env that does not wait at the end of an episode") {
    shows_episodes(kHasty, 30);
}

TEST_CASE("pixels may stand beside the other observations, in colour") {
    WrapperRig rig(kPixels, kLamp, 1, 2, [](auto& options) {
        options["grey"].integer = 0;
        options["alone"].integer = 0;
        options["column"].text = tenon::to_str("pixels");
    });
    rig.bind();
    rig.reset(0, nullptr, nullptr);
    rig.columns.at<std::int64_t>("action", 0, 0) = 0;
    REQUIRE(rig.step(0) == TN_OK);
    CHECK(rig.columns.at<float>("observation", 1, 0) == 1);
    CHECK(rig.columns.at<std::uint8_t>("pixels", 1, 0, 3 * 84 * 84 - 1) == 10);

    WrapperRig same(kPixels, kLamp, 1, 2, [](auto& options) { options["alone"].integer = 0; });
    CHECK(same.describe() == TN_INVALID_ARGUMENT);
    CHECK(same.host.error ==
          "there is an observation 'observation' already; give the picture another name by the option 'column'");
    WrapperRig blind(kPixels, kCounting, 1, 2);
    CHECK(blind.describe() == TN_INVALID_ARGUMENT);
    CHECK(blind.host.error == "the env draws no pictures in this process");
}

TEST_CASE("a picture is made smaller by means over areas") {
    // Two rows of three pixels: red grows to the right, green is 90 in the lower row, blue is 30.
    std::vector<std::uint8_t> from;
    for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 3; ++x) {
            from.insert(from.end(), {static_cast<std::uint8_t>(60 * x), static_cast<std::uint8_t>(90 * y), 30});
        }
    }
    std::array<std::uint8_t, 6> colour{};
    shrink(from, 2, 3, colour, 1, 2, false);
    // Each new pixel covers one and a half of the old ones: red (0 + 0.5 * 60) / 1.5 and (0.5 * 60 + 120) / 1.5.
    CHECK(colour == std::array<std::uint8_t, 6>{20, 100, 45, 45, 30, 30});
    std::array<std::uint8_t, 2> grey{};
    shrink(from, 2, 3, grey, 1, 2, true);
    CHECK(grey == std::array<std::uint8_t, 2>{36, 60});  // 0.299 * 20 + 0.587 * 45 + 0.114 * 30 = 35.8; and 59.7
    std::array<std::uint8_t, 18> same{};
    shrink(from, 2, 3, same, 2, 3, false);
    CHECK(same[2] == 120);
    CHECK(same[6 + 5] == 90);
}

TEST_CASE("pixels around an env that cannot draw here fails with the env's sentence") {
    WrapperRig rig(kPixels, kDark, 1, 2);
    CHECK(rig.describe() == TN_UNAVAILABLE);
    CHECK(rig.host.error == "there is no display");
}

}  // namespace pixels_test
