// SPDX-License-Identifier: Apache-2.0
// Acrobot-v1 as in Gymnasium 1.4, after Sutton, "Generalization in reinforcement learning", NIPS 8, 1996: swing the
// free end of two links above a line, with a motor in the joint between them.
#pragma once

#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "acrobot_rules.hpp"
#include "classic_kernels.hpp"
#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct Acrobot : AcrobotRules {
    std::string book_or_nips;
    State now;
    static constexpr auto on_device = tenon::device_env<AcrobotRules>("acrobot", &classic_kernels, &Acrobot::now);

    static constexpr auto options = std::tuple{
        tenon::option<&Acrobot::book_or_nips>(
            "book_or_nips", "book", "book|nips",
            "equations of motion: of Sutton and Barto's book, or of the paper of 1996"),
        tenon::option<&Acrobot::dt>("dt", 0.2, "(0,1]", "seconds between two steps"),
        tenon::option<&Acrobot::link_length_1>("link_length_1", 1, "(0,100]", "the first link's length in metres"),
        tenon::option<&Acrobot::link_mass_1>("link_mass_1", 1, "(0,1000]", "the first link's mass in kilogrammes"),
        tenon::option<&Acrobot::link_mass_2>("link_mass_2", 1, "(0,1000]", "the second link's mass"),
        tenon::option<&Acrobot::link_com_pos_1>("link_com_pos_1", 0.5, "(0,100]", "centre of mass of the first link"),
        tenon::option<&Acrobot::link_com_pos_2>("link_com_pos_2", 0.5, "(0,100]", "centre of mass of the second link"),
        tenon::option<&Acrobot::link_moi>("link_moi", 1, "(0,1000]", "moment of inertia of each link"),
        tenon::option<&Acrobot::max_vel_1>("max_vel_1", 4 * std::numbers::pi, "(0,1000]",
                                           "maximum angular velocity of the first link"),
        tenon::option<&Acrobot::max_vel_2>("max_vel_2", 9 * std::numbers::pi, "(0,1000]",
                                           "maximum angular velocity of the second link"),
        tenon::option<&Acrobot::torque>("torque", 1, "[0,1000]", "torque of the actions 0 and 2, in newton metres"),
        tenon::option<&Acrobot::torque_noise_max>("torque_noise_max", 0, "[0,1000]",
                                                  "maximum of the uniform noise on the torque"),
        tenon::option<&Acrobot::reset_low>("reset_low", -0.1, "[-10,10]", "lower bound of the initial state"),
        tenon::option<&Acrobot::reset_high>("reset_high", 0.1, "[-10,10]", "upper bound of the initial state"),
        tenon::option<&Acrobot::max_episode_steps>("max_episode_steps", 500, "[0,inf)", "time limit; 0: none")};

    void setup() {
        require_bounds(reset_low, reset_high);
        nips = book_or_nips == "nips";
    }
    void state(tenon::Archive& archive) { archive(now); }
    tenon::EnvSpec spec() const {
        return {{tenon::bounded("observation", {6}, {-1, -1, -1, -1, -max_vel_1, -max_vel_2},
                                {1, 1, 1, 1, max_vel_1, max_vel_2})},
                {tenon::categorical("action", 3)}};
    }

    void reset(tenon::Rng& rng, std::span<float, 6> observation) {
        begin(rng, now);
        observe(now, observation.data());
    }
    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 6> observation) {
        const tenon::StepResult result = advance(now, action, rng);
        observe(now, observation.data());
        return result;
    }

    tenon::PictureSize picture() const { return {.height = 200, .width = 200, .steps_per_second = 1 / dt}; }
    void draw(tenon::Picture& out) const {
        const double both = now[0] + now[1];
        const tenon::Point joint{link_length_1 * std::sin(now[0]), -link_length_1 * std::cos(now[0])};
        const tenon::Point end{joint.x + link_length_1 * std::sin(both), joint.y - link_length_1 * std::cos(both)};
        const double reach = 2.2 * link_length_1;
        out.show({-reach, -reach}, {reach, reach});
        out.line({-reach, 1}, {reach, 1}, 0.02, {60, 60, 60});
        out.line({0, 0}, joint, 0.2, {0, 160, 160});
        out.line(joint, end, 0.2, {0, 204, 204});
        out.disc({0, 0}, 0.1, {204, 204, 0});
        out.disc(joint, 0.1, {204, 204, 0});
    }
};
