// SPDX-License-Identifier: Apache-2.0
// Acrobot-v1 as in Gymnasium 1.4, after Sutton, "Generalization in reinforcement learning", NIPS 8, 1996: swing the
// free end of two links above a line, with a motor in the joint between them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct Acrobot {
    using State = std::array<double, 4>;  // the angles of the links, the second relative to the first, and their rates

    std::string book_or_nips;
    double dt, link_length_1, link_mass_1, link_mass_2, link_com_pos_1, link_com_pos_2, link_moi, max_vel_1, max_vel_2;
    double torque, torque_noise_max, reset_low, reset_high;
    std::int64_t max_episode_steps;
    bool nips;
    State now;

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
        std::ranges::generate(now, [&] { return static_cast<float>(rng.uniform(reset_low, reset_high)); });
        observe(observation);
    }

    tenon::StepResult step(std::int64_t action, tenon::Rng& rng, std::span<float, 6> observation) {
        double push = static_cast<double>(action - 1) * torque;
        if (torque_noise_max > 0) {
            push += rng.uniform(-torque_noise_max, torque_noise_max);
        }
        now = after(dt, push);
        now = {wrapped(now[0]), wrapped(now[1]), std::clamp(now[2], -max_vel_1, max_vel_1),
               std::clamp(now[3], -max_vel_2, max_vel_2)};
        observe(observation);
        const bool above = -std::cos(now[0]) - std::cos(now[1] + now[0]) > 1.0;
        return {.reward = above ? 0.0 : -1.0, .terminated = above};
    }

    void observe(std::span<float, 6> out) const {
        const auto [a, b, a_rate, b_rate] = now;
        std::ranges::copy(std::array{std::cos(a), std::sin(a), std::cos(b), std::sin(b), a_rate, b_rate}, out.begin());
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

    static double wrapped(double angle) {
        while (angle > M_PI) {
            angle -= 2 * M_PI;
        }
        while (angle < -M_PI) {
            angle += 2 * M_PI;
        }
        return angle;
    }

    // The classical Runge-Kutta method.
    State after(double seconds, double push) const {
        const auto moved = [&](double by, const State& rates) {
            State out;
            for (std::size_t i = 0; i < 4; ++i) {
                out[i] = now[i] + by * rates[i];
            }
            return out;
        };
        const State k1 = rates_at(now, push), k2 = rates_at(moved(seconds / 2, k1), push);
        const State k3 = rates_at(moved(seconds / 2, k2), push), k4 = rates_at(moved(seconds, k3), push);
        State sum;
        for (std::size_t i = 0; i < 4; ++i) {
            sum[i] = k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i];
        }
        return moved(seconds / 6, sum);
    }

    State rates_at(const State& at, double push) const {
        constexpr double kGravity = 9.8;
        const auto [theta1, theta2, omega1, omega2] = at;
        const double m1 = link_mass_1, m2 = link_mass_2, l1 = link_length_1, c1 = link_com_pos_1, c2 = link_com_pos_2;
        const double sine2 = std::sin(theta2), cosine2 = std::cos(theta2);
        const double d1 = m1 * (c1 * c1) + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * cosine2) + link_moi + link_moi;
        const double d2 = m2 * (c2 * c2 + l1 * c2 * cosine2) + link_moi;
        const double phi2 = m2 * c2 * kGravity * std::cos(theta1 + theta2 - M_PI / 2);
        const double phi1 = -m2 * l1 * c2 * (omega2 * omega2) * sine2 - 2 * m2 * l1 * c2 * omega2 * omega1 * sine2 +
                            (m1 * c1 + m2 * l1) * kGravity * std::cos(theta1 - M_PI / 2) + phi2;
        const double book = nips ? 0 : m2 * l1 * c2 * (omega1 * omega1) * sine2;
        const double alpha2 = (push + d2 / d1 * phi1 - book - phi2) / (m2 * (c2 * c2) + link_moi - d2 * d2 / d1);
        return {omega1, omega2, -(d2 * alpha2 + phi1) / d1, alpha2};
    }
};
