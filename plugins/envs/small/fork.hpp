// SPDX-License-Identifier: Apache-2.0
// A wall with three ways past it: around it on the left, around it on the right, or over it. The first step chooses the
// way, and the rest of the walk must stay near it. Demonstrations that take all three ways have a mean and a median
// action that lead into the wall, so whoever learns one action for each observation never arrives.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tenon/env.hpp"
#include "tenon/policy.hpp"

struct Fork {
    using Point = std::array<double, 2>;                                        // sideways and up
    static constexpr std::array<Point, 3> kWays = {{{-1, 0}, {1, 0}, {0, 1}}};  // left, right, over
    static constexpr std::size_t kNone = kWays.size();

    std::int64_t length = 10;
    double width = 0.4;
    std::int64_t walked = 0;
    Point at{};
    std::size_t way = kNone;

    static constexpr auto options = std::tuple{
        tenon::option<&Fork::length>("length", 10, "[1,1000000]", "steps to the end of the wall"),
        tenon::option<&Fork::width>("width", 0.4, "(0,0.5]", "how far from its way a walk may be, sideways and up")};

    static tenon::EnvSpec spec() {
        return {{tenon::bounded("observation", {3}, {0, -2, -2}, {1, 2, 2})}, {tenon::bounded("action", {2}, -1, 1)}};
    }

    void reset(std::span<float, 3> observation) {
        walked = 0;
        at = {};
        way = kNone;
        show(observation);
    }

    tenon::StepResult step(std::span<const float, 2> action, std::span<float, 3> observation) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            at[i] = std::clamp(at[i] + static_cast<double>(action[i]), -2.0, 2.0);
        }
        way = walked++ == 0 ? nearest() : way;
        show(observation);
        const bool left_it = way == kNone || !is_near(way), arrived = !left_it && walked == length;
        return {.reward = arrived ? 1.0 : 0.0, .terminated = left_it || arrived};
    }

    [[nodiscard]] bool is_near(std::size_t which) const {
        return std::abs(at[0] - kWays[which][0]) <= width && std::abs(at[1] - kWays[which][1]) <= width;
    }
    [[nodiscard]] std::size_t nearest() const {
        std::size_t out = 0;
        while (out < kWays.size() && !is_near(out)) {
            ++out;
        }
        return out;
    }

    void show(std::span<float, 3> observation) const {
        observation[0] = static_cast<float>(walked) / static_cast<float>(length);
        observation[1] = static_cast<float>(at[0]);
        observation[2] = static_cast<float>(at[1]);
    }

    // As seen from behind the walker: the wall, and the three ways past it.
    static tenon::PictureSize picture() { return {.height = 240, .width = 320, .steps_per_second = 5}; }
    void draw(tenon::Picture& out) const {
        out.show({-2, -0.8}, {2, 2.2});
        out.box({-2, -0.8}, {2, 2.2}, {225, 235, 245});
        out.box({-0.5, -0.8}, {0.5, 0.5}, {150, 110, 90});
        for (const Point& point : kWays) {
            out.box({point[0] - width, point[1] - width}, {point[0] + width, point[1] + width}, {150, 200, 150});
        }
        out.disc({at[0], at[1]}, 0.15, {40, 90, 180});
    }

    void state(tenon::Archive& archive) { archive(walked, at, way); }
};

// Walks one of the three ways, drawn for each episode, with noise in every step.
struct ForkGuide {
    double over = 0.2;
    double noise = 0.1;

    struct Lane {
        std::size_t way = Fork::kNone;
        void state(tenon::Archive& archive) { archive(way); }
    };

    static constexpr auto options = std::tuple{
        tenon::option<&ForkGuide::over>("over", 0.2, "[0,1]",
                                        "probability of the way over the wall; the others are equally likely"),
        tenon::option<&ForkGuide::noise>("noise", 0.1, "[0,inf)", "standard deviation of the noise of its steps")};

    static void setup_columns(const tenon::PolicySpec& spec) {
        if (spec.observations.size() != 1 || spec.observations[0].elements() != 3 || spec.actions.size() != 1 ||
            spec.actions[0].elements() != 2) {
            throw tenon::InvalidArgument("it only walks in small/Fork-v0");
        }
    }

    void act(Lane& lane, tenon::Rng& rng, const tenon::PolicyRow& row) const {
        const double draw = rng.uniform();
        if (lane.way == Fork::kNone) {
            lane.way = draw < over ? 2 : draw < 0.5 + 0.5 * over ? 0 : 1;
        }
        const std::span<const float> seen = row.observation<float>();
        const std::span<float> action = row.action<float>();
        for (std::size_t i = 0; i < action.size(); ++i) {
            const double wanted = Fork::kWays[lane.way][i] - static_cast<double>(seen[i + 1]);
            action[i] = static_cast<float>(std::clamp(wanted + noise * rng.normal(), -1.0, 1.0));
        }
    }
};
