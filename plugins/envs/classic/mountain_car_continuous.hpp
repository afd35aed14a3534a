// SPDX-License-Identifier: Apache-2.0
// MountainCarContinuous-v0 as in Gymnasium 1.4.
#pragma once

#include <span>

#include "classic_kernels.hpp"
#include "hill_drawing.hpp"
#include "mountain_car_continuous_rules.hpp"
#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct MountainCarContinuous : MountainCarContinuousRules {
    State now;
    static constexpr auto on_device = tenon::device_env<MountainCarContinuousRules>(
        "mountain_car_continuous", &classic_kernels, &MountainCarContinuous::now);

    static constexpr auto options = std::tuple{
        tenon::option<&MountainCarContinuous::goal_velocity>("goal_velocity", 0, "[-1,1]",
                                                             "minimum velocity at the goal"),
        tenon::option<&MountainCarContinuous::goal_position>("goal_position", 0.45, "[-10,10]", "position of the goal"),
        tenon::option<&MountainCarContinuous::min_position>("min_position", -1.2, "[-10,10]", "left end of the track"),
        tenon::option<&MountainCarContinuous::max_position>("max_position", 0.6, "[-10,10]", "right end of the track"),
        tenon::option<&MountainCarContinuous::max_speed>("max_speed", 0.07, "(0,10]", "maximum speed"),
        tenon::option<&MountainCarContinuous::power>("power", 0.0015, "[0,1]", "speed that the action 1 adds"),
        tenon::option<&MountainCarContinuous::reset_low>("reset_low", -0.6, "[-10,10]", "the leftmost start"),
        tenon::option<&MountainCarContinuous::reset_high>("reset_high", -0.4, "[-10,10]", "the rightmost start"),
        tenon::option<&MountainCarContinuous::max_episode_steps>("max_episode_steps", 999, "[0,inf)",
                                                                 "time limit; 0: none")};

    void setup() const {
        require_bounds(reset_low, reset_high);
        if (min_position >= max_position) {
            throw tenon::InvalidArgument("min_position must be below max_position");
        }
    }
    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {2}, {min_position, -max_speed}, {max_position, max_speed})},
                {tenon::bounded("action", {1}, -1, 1)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 2> observation) {
        begin(rng, now);
        observe(now, observation.data());
    }
    tenon::StepResult step(std::span<const float, 1> action, std::span<float, 2> observation) {
        const tenon::StepResult result = advance(now, action[0]);
        observe(now, observation.data());
        return result;
    }

    void state(tenon::Archive& archive) { archive(now.position, now.velocity, now.first_step); }

    static tenon::PictureSize picture() { return {.height = 200, .width = 300, .steps_per_second = 0}; }
    void draw(tenon::Picture& out) const { draw_on_hill(now.position, goal_position, min_position, max_position, out); }
};
