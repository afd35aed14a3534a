// SPDX-License-Identifier: Apache-2.0
#include "reach.hpp"

#include <cmath>

#include "play.hpp"

namespace reach_test {

using namespace tenon::test;

namespace {

constexpr auto kReach = tenon::env<Reach>("Reach-v0", "push a point to goals");

double push(EnvRig& rig, std::uint32_t slot, float x, float y) {
    rig.columns.at<float>("action", slot, 0, 0) = x;
    rig.columns.at<float>("action", slot, 0, 1) = y;
    REQUIRE(rig.step(slot, slot + 1) == TN_OK);
    return rig.columns.at<float>("reward", slot, 0);
}

double number_at(EnvRig& rig, std::uint32_t slot, std::size_t element) {
    return rig.columns.at<float>("observation", slot, 0, element);
}

}  // namespace

TEST_CASE("reach: a push adds to the velocity, of which a tenth is lost, and the reward falls with the distance") {
    EnvRig rig(kReach, 1, 6);
    for (std::uint64_t seed = 0;; ++seed) {  // one that begins far from walls
        rig.reset({seed});
        if (std::abs(number_at(rig, 0, 0)) < 0.8 && std::abs(number_at(rig, 0, 1)) < 0.8) {
            break;
        }
    }
    double speed = 0;
    double x = number_at(rig, 0, 0);
    const double y = number_at(rig, 0, 1);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        const double reward = push(rig, slot, slot < 2 ? 0.5F : -3.0F, 0);  // clamped to -1
        speed = 0.9 * speed + (slot < 2 ? 0.01 : -0.02);
        x += speed;
        CHECK(std::abs(number_at(rig, slot + 1, 0) - x) < 1e-6);
        CHECK(std::abs(number_at(rig, slot + 1, 2) - 5 * speed) < 1e-6);
        CHECK(std::abs(number_at(rig, slot + 1, 1) - y) < 1e-6);
        const double off = std::hypot(x - number_at(rig, slot, 4), y - number_at(rig, slot, 5));
        CHECK(std::abs(reward - std::exp(-6 * off * off)) < 1e-6);
    }
}

TEST_CASE("reach: walls stop the point, and after 50 steps the goal is another one") {
    EnvRig rig(kReach, 1, 102);
    rig.reset({1});
    for (std::uint32_t slot = 0; slot < 99; ++slot) {
        push(rig, slot, 1, 0);
        CHECK((number_at(rig, slot + 1, 4) == number_at(rig, slot, 4)) == (slot != 49));
    }
    CHECK(number_at(rig, 99, 0) == 1);
    CHECK(number_at(rig, 99, 2) == 0);
    push(rig, 99, 1, 0);
    CHECK(rig.columns.at<bool>("truncated", 99, 0));
}

TEST_CASE("reach: pictures show the point and the goal to a fraction of a pixel") {
    EnvRig numbers(kReach, 1, 3);
    EnvRig pictures(kReach, 1, 3, [](OptionValues<Reach>& options) { options["pictures"].integer = 1; });
    numbers.reset({5});
    pictures.reset({5});
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
        for (const std::size_t channel : {0U, 1U}) {
            const auto light = [&](std::size_t row, std::size_t column) {
                return static_cast<double>(
                    pictures.columns.at<std::uint8_t>("observation", slot, 0, channel * 256 + row * 16 + column));
            };
            std::size_t row = 0, column = 0;  // the brightest pixel
            for (std::size_t i = 0; i < 256; ++i) {
                if (light(i / 16, i % 16) > light(row, column)) {
                    row = i / 16, column = i % 16;
                }
            }
            // The light of two pixels next to it falls by an eighth of a pixel's distance.
            const auto off = [](double before, double after) { return 7 * (after - before) / (after + before); };
            const double x = static_cast<double>(column) + off(light(row, column - 1), light(row, column + 1));
            const double y = static_cast<double>(row) + off(light(row - 1, column), light(row + 1, column));
            CHECK(std::abs(x / 7.5 - 1 - number_at(numbers, slot, 4 * channel)) < 0.01);
            CHECK(std::abs(1 - y / 7.5 - number_at(numbers, slot, 4 * channel + 1)) < 0.01);
        }
        if (slot < 2) {
            push(numbers, slot, 1, -1);
            push(pictures, slot, 1, -1);
        }
    }
}

TEST_CASE("reach resumes from saved state") {
    EnvRig whole(kReach, 1, 60);
    EnvRig resumed(kReach, 1, 60);
    whole.reset({3});
    for (std::uint32_t slot = 0; slot < 20; ++slot) {
        push(whole, slot, 0.3F, 1);
    }
    StateBytes state;
    REQUIRE(state.save(whole.instance, 0, 1) == TN_OK);
    REQUIRE(state.load(resumed.instance, 0, 1) == TN_OK);
    for (std::uint32_t slot = 20; slot < 59; ++slot) {
        CHECK(push(whole, slot, -0.7F, 0.2F) == push(resumed, slot, -0.7F, 0.2F));
    }
    CHECK(number_at(whole, 59, 4) == number_at(resumed, 59, 4));
}

}  // namespace reach_test
