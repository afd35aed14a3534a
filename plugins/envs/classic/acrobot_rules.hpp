// SPDX-License-Identifier: Apache-2.0
// What a step of Acrobot computes.
#pragma once

#include "tenon/device_rules.hpp"

struct AcrobotRules {
    double dt, link_length_1, link_mass_1, link_mass_2, link_com_pos_1, link_com_pos_2, link_moi, max_vel_1, max_vel_2;
    double torque, torque_noise_max, reset_low, reset_high;
    std::int64_t max_episode_steps;
    bool nips;
    using State = std::array<double, 4>;  // the angles of the links, the second relative to the first, and their rates
    using Action = std::int64_t;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, State& state) const {
        for (double& one : state) {
            one = static_cast<float>(random.uniform(reset_low, reset_high));
        }
    }

    template <class Random>
    TENON_BOTH tenon::StepResult advance(State& state, std::int64_t action, Random& random) const {
        double push = static_cast<double>(action - 1) * torque;
        if (torque_noise_max > 0) {
            push += random.uniform(-torque_noise_max, torque_noise_max);
        }
        const State then = after(state, dt, push);
        state = {wrapped(then[0]), wrapped(then[1]), std::clamp(then[2], -max_vel_1, max_vel_1),
                 std::clamp(then[3], -max_vel_2, max_vel_2)};
        const bool above = -std::cos(state[0]) - std::cos(state[1] + state[0]) > 1.0;
        return {.reward = above ? 0.0 : -1.0, .terminated = above};
    }

    TENON_BOTH void observe(const State& state, float* out) const {
        out[0] = static_cast<float>(std::cos(state[0]));
        out[1] = static_cast<float>(std::sin(state[0]));
        out[2] = static_cast<float>(std::cos(state[1]));
        out[3] = static_cast<float>(std::sin(state[1]));
        out[4] = static_cast<float>(state[2]);
        out[5] = static_cast<float>(state[3]);
    }

    TENON_BOTH static double wrapped(double angle) {
        while (angle > M_PI) {
            angle -= 2 * M_PI;
        }
        while (angle < -M_PI) {
            angle += 2 * M_PI;
        }
        return angle;
    }

    TENON_BOTH static State moved(const State& from, double by, const State& rates) {
        State out;
        for (std::size_t i = 0; i < 4; ++i) {
            out[i] = from[i] + by * rates[i];
        }
        return out;
    }

    // The classical Runge-Kutta method.
    TENON_BOTH State after(const State& now, double seconds, double push) const {
        const State k1 = rates_at(now, push), k2 = rates_at(moved(now, seconds / 2, k1), push);
        const State k3 = rates_at(moved(now, seconds / 2, k2), push), k4 = rates_at(moved(now, seconds, k3), push);
        State sum;
        for (std::size_t i = 0; i < 4; ++i) {
            sum[i] = k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i];
        }
        return moved(now, seconds / 6, sum);
    }

    TENON_BOTH State rates_at(const State& at, double push) const {
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
