// SPDX-License-Identifier: Apache-2.0
// CartPole-v1 as in Gymnasium 1.4, after Barto, Sutton and Anderson, "Neuronlike adaptive elements", IEEE SMC 13, 1983.
#pragma once

#include <array>
#include <cmath>
#include <span>

#include "cartpole_drawing.hpp"
#include "cartpole_rules.hpp"
#include "classic_kernels.hpp"
#include "reset_bounds.hpp"
#include "tenon/env.hpp"

struct CartPole : CartPoleRules {
    using State = std::array<tenon::Pack, 4>;  // as that of the rules, in packs
    static constexpr auto on_device = tenon::device_env<CartPoleRules>("cartpole", &classic_kernels);

    static constexpr auto options = std::tuple{
        tenon::option<&CartPole::gravity>("gravity", 9.8, "[0,1000]", "gravity in metres per second squared"),
        tenon::option<&CartPole::masscart>("masscart", 1, "(0,1000]", "the cart's mass in kilogrammes"),
        tenon::option<&CartPole::masspole>("masspole", 0.1, "(0,1000]", "the pole's mass in kilogrammes"),
        tenon::option<&CartPole::length>("length", 0.5, "(0,100]", "half the pole's length in metres"),
        tenon::option<&CartPole::force_mag>("force_mag", 10, "[0,1000]", "force of an action in newtons"),
        tenon::option<&CartPole::tau>("tau", 0.02, "(0,1]", "seconds between two steps"),
        tenon::option<&CartPole::theta_threshold>("theta_threshold", 12, "(0,180]", "degrees that end an episode"),
        tenon::option<&CartPole::x_threshold>("x_threshold", 2.4, "(0,1000]", "metres that end an episode"),
        tenon::option<&CartPole::reset_low>("reset_low", -0.05, "[-1,1]", "lower bound of the initial state"),
        tenon::option<&CartPole::reset_high>("reset_high", 0.05, "[-1,1]", "upper bound of the initial state"),
        tenon::option<&CartPole::semi_implicit>("semi_implicit", false, "integrate positions with the new velocities"),
        tenon::option<&CartPole::sutton_barto_reward>("sutton_barto_reward", false, "rewards: 0, and -1 for falling"),
        tenon::option<&CartPole::max_episode_steps>("max_episode_steps", 500, "[0,inf)", "time limit; 0: none")};

    void setup() {
        theta_limit = theta_threshold * 2 * M_PI / 360;
        require_bounds(reset_low, reset_high);
    }
    tenon::EnvSpec spec() const {
        const std::vector<double> high = {x_threshold * 2, INFINITY, theta_limit * 2, INFINITY};
        const tenon::Bounds low = {-high[0], -INFINITY, -high[2], -INFINITY};
        return {{tenon::bounded("observation", {4}, low, high)}, {tenon::categorical("action", 2)}};
    }

    void reset(tenon::Rng& rng, std::span<double, 4> state) const { begin(rng, state); }
    tenon::PackResult step(State& state, tenon::Pack action) const { return advance(state, action); }

    tenon::PictureSize picture() const { return {.height = 200, .width = 300, .steps_per_second = 1 / tau}; }
    void draw(std::span<const double, 4> state, tenon::Picture& out) const {
        draw_cartpole(state[0], state[2], 2 * length, x_threshold, out);
    }
};
