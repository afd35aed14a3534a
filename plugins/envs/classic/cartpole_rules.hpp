// SPDX-License-Identifier: Apache-2.0
// What a step of CartPole computes, for a pack of lanes and, in kernels, for one.
#pragma once

#include "tenon/device_rules.hpp"

struct CartPoleRules {
    double gravity, masscart, masspole, length, force_mag, tau, theta_threshold, x_threshold, reset_low, reset_high;
    bool semi_implicit, sutton_barto_reward;
    std::int64_t max_episode_steps;
    double theta_limit;                   // in radians
    using State = std::array<double, 4>;  // position and speed of the cart, angle of the pole and its rate
    using Action = double;
    using Observation = float;

    template <class Random>
    TENON_BOTH void begin(Random& random, std::span<double, 4> state) const {
        random.uniform(reset_low, reset_high, state);
    }

    template <class Number>
    TENON_BOTH tenon::ResultOf<Number> advance(std::array<Number, 4>& state, Number action) const {
        const auto [x, v, theta, omega] = state;
        const auto [sine, cosine] = tenon::sine_cosine(theta);
        const Number force = tenon::where(action == 1, force_mag, -force_mag);
        const double total_mass = masspole + masscart, polemass_length = masspole * length;
        const Number push = (force + polemass_length * (omega * omega) * sine) / total_mass;
        const Number omega_dot =
            (gravity * sine - cosine * push) / (length * (4.0 / 3.0 - masspole * (cosine * cosine) / total_mass));
        const Number v_dot = push - polemass_length * omega_dot * cosine / total_mass;
        const Number new_v = v + tau * v_dot, new_omega = omega + tau * omega_dot;
        state = {x + tau * (semi_implicit ? new_v : v), new_v, theta + tau * (semi_implicit ? new_omega : omega),
                 new_omega};
        const tenon::MaskOf<Number> fallen =
            tenon::either(tenon::abs(state[0]) > x_threshold, tenon::abs(state[2]) > theta_limit);
        return {.reward = tenon::where(fallen, sutton_barto_reward ? -1 : 1, sutton_barto_reward ? 0 : 1),
                .terminated = fallen};
    }
};
