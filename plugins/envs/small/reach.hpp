// SPDX-License-Identifier: Apache-2.0
// A point with inertia that is pushed to a goal. The goal moves in the middle of an episode. The state is observed as
// numbers, or as a picture of two channels. A single picture does not show the velocity, so this is a task for world
// models, which takes minutes and not hours.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "tenon/env.hpp"

struct Reach {
    using Point = std::array<double, 2>;
    static constexpr std::int64_t kSide = 16;
    static constexpr double kFade = 8;

    bool pictures = false;
    std::int64_t goal_steps = 50;
    std::int64_t max_episode_steps = 100;
    Point at{}, speed{}, goal{};
    std::int64_t steps = 0;

    static constexpr auto options = std::tuple{
        tenon::option<&Reach::pictures>(
            "pictures", false, "", "observes two pictures of 16 by 16, the point and the goal, in place of numbers"),
        tenon::option<&Reach::goal_steps>("goal_steps", 50, "[1,inf)", "steps after which the goal is another one"),
        tenon::option<&Reach::max_episode_steps>("max_episode_steps", 100, "[0,inf)", "time limit; 0: none")};

    [[nodiscard]] tenon::EnvSpec spec() const {
        return {{pictures ? tenon::bounded("observation", {2, kSide, kSide}, 0, 255, TN_U8)
                          : tenon::bounded("observation", {6}, -1, 1)},
                {tenon::bounded("action", {2}, -1, 1)},
                tenon::bounded("reward", {}, 0, 1)};
    }

    void reset(tenon::Rng& rng, const tenon::EnvRow& row) {
        at = anywhere(rng, 1);
        speed = {};
        goal = anywhere(rng, 0.8);
        steps = 0;
        show(row);
    }

    // A push changes the velocity, of which a tenth is lost in each step; walls stop the point. The reward is 1 at the
    // goal, and 0.22 at a distance of 0.5.
    tenon::StepResult step(tenon::Rng& rng, const tenon::EnvRow& row) {
        const std::span<const float> push = row.action<float>();
        double squares = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            speed[i] = 0.9 * speed[i] + 0.02 * std::clamp(static_cast<double>(push[i]), -1.0, 1.0);
            const double there = at[i] + speed[i];
            at[i] = std::clamp(there, -1.0, 1.0);
            speed[i] = there == at[i] ? speed[i] : 0;
            squares += (at[i] - goal[i]) * (at[i] - goal[i]);
        }
        if (++steps % goal_steps == 0) {
            goal = anywhere(rng, 0.8);
        }
        show(row);
        return {.reward = std::exp(-6 * squares)};
    }

    void state(tenon::Archive& archive) { archive(at, speed, goal, steps); }

    static tenon::PictureSize picture() { return {.height = 200, .width = 200, .steps_per_second = 20}; }
    void draw(tenon::Picture& out) const {
        out.show({-1.1, -1.1}, {1.1, 1.1});
        out.disc({goal[0], goal[1]}, 0.12, {90, 190, 90});
        out.disc({at[0], at[1]}, 0.06, {40, 90, 180});
    }

private:
    static Point anywhere(tenon::Rng& rng, double bound) {
        return {rng.uniform(-bound, bound), rng.uniform(-bound, bound)};
    }

    void show(const tenon::EnvRow& row) const {
        if (pictures) {
            const std::span<std::uint8_t> out = row.observation<std::uint8_t>(0);
            std::ranges::fill(out, std::uint8_t{0});
            put(at, out.first(kSide * kSide));
            put(goal, out.last(kSide * kSide));
            return;
        }
        const std::span<float> out = row.observation<float>(0);
        for (std::size_t i = 0; i < 2; ++i) {
            out[i] = static_cast<float>(at[i]);
            out[2 + i] = static_cast<float>(5 * speed[i]);  // at most 0.2
            out[4 + i] = static_cast<float>(goal[i]);
        }
    }

    // A spot that fades over half of the picture. The error of a picture then falls as soon as a model knows roughly
    // where the point is. A spot of a pixel or two would overlap with hardly any rough guess of it, and models would go
    // on drawing an empty picture.
    static void put(const Point& point, std::span<std::uint8_t> out) {
        const double x = (point[0] + 1) / 2 * (kSide - 1), y = (1 - point[1]) / 2 * (kSide - 1);
        const auto light = [](double from, std::int64_t pixel) {
            return std::max(0.0, 1 - std::abs(from - static_cast<double>(pixel)) / kFade);
        };
        for (std::int64_t row = 0; row < kSide; ++row) {
            for (std::int64_t column = 0; column < kSide; ++column) {
                out[static_cast<std::size_t>(row * kSide + column)] =
                    static_cast<std::uint8_t>(std::lround(255 * light(y, row) * light(x, column)));
            }
        }
    }
};
