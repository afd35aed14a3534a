// SPDX-License-Identifier: Apache-2.0
// The equations of Pendulum-v1, as a model that needs no learning: cosine and sine of the angle from upright, and the
// velocity, before and after a torque.
#pragma once

#include <string>
#include <tuple>

#include "tenon/graph_component.hpp"
#include "tenon/nets.hpp"
#include "tenon/options.hpp"

namespace model {

using tenon::Graph;
using tenon::Value;

struct Pendulum {
    double g = 10, m = 1, l = 1, dt = 0.05, max_speed = 8, max_torque = 2;

    [[nodiscard]] Value step(const Graph& /*graph*/, Value state, Value action) const {
        const auto [cosine, sine, speed] = parts(state);
        const Value torque = torque_of(action);
        const Value faster = speed + (3 * g / (2 * l) * sine + 3.0 / (m * l * l) * torque) * dt;
        const Value next = clamp(faster, -max_speed, max_speed);
        const Value turn = next * dt, along = cos(turn), across = sin(turn);
        return tenon::concat({cosine * along - sine * across, sine * along + cosine * across, next});
    }

    [[nodiscard]] Value reward(const Graph& /*graph*/, Value state, Value action) const {
        const auto [cosine, sine, speed] = parts(state);
        const Value cost = square(atan2(sine, cosine)) + 0.1 * square(speed) + 0.001 * square(torque_of(action));
        return -squeeze(cost);
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Pendulum::g>("g", 10, "[0,1000]", "gravity in metres per second squared"),
        tenon::option<&Pendulum::m>("m", 1, "(0,1000]", "the rod's mass in kilogrammes"),
        tenon::option<&Pendulum::l>("l", 1, "(0,1000]", "the rod's length in metres"),
        tenon::option<&Pendulum::dt>("dt", 0.05, "(0,1]", "seconds between two steps"),
        tenon::option<&Pendulum::max_speed>("max_speed", 8, "(0,1000]", "maximum speed in radians per second"),
        tenon::option<&Pendulum::max_torque>("max_torque", 2, "(0,1000]", "maximum torque in newton metres")};
    static constexpr auto functions =
        std::tuple{tenon::function<&Pendulum::step>("step", "state action", "state"),
                   tenon::function<&Pendulum::reward>("reward", "state action", "reward")};

private:
    struct Parts {
        Value cosine, sine, speed;
    };
    [[nodiscard]] static Parts parts(Value state) {
        if (state.id != 0 && tenon::last_size(state) != 3) {
            throw tenon::InvalidArgument(
                "it is a model of the 3 numbers that Pendulum-v1 observes, but the state that it "
                "is given has " +
                std::to_string(tenon::last_size(state)));
        }
        return {slice(state, 0, 1), slice(state, 1, 1), slice(state, 2, 1)};
    }
    [[nodiscard]] Value torque_of(Value action) const { return clamp(action, -max_torque, max_torque); }
};

}  // namespace model
