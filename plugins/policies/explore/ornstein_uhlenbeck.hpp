// SPDX-License-Identifier: Apache-2.0
// Ornstein-Uhlenbeck noise (Uhlenbeck and Ornstein 1930) on every element of a continuous action, which is then clamped
// to its bounds. It has the units of `gaussian`, is kept per lane and starts at 0 in each episode.
#pragma once

#include <cmath>
#include <tuple>

#include "continuous_action.hpp"
#include "tenon/options.hpp"

struct OrnsteinUhlenbeck {
    double theta = 0.15;
    double dt = 0.01;

    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tn_spec* spec = continuous_action(g, "ornstein_uhlenbeck");
        if (spec == nullptr) {
            return {};
        }
        if (spec->rank > 1) {
            throw tenon::InvalidArgument("ornstein_uhlenbeck needs an action of one dimension");
        }
        const std::int64_t size = spec->rank > 0 ? spec->shape[0] : 1;
        const tenon::Value before = g.memory("noise", {size});
        const tenon::Value now = before * (1 - theta * dt) + std::sqrt(dt) * random_normal(before, "noise");
        g.remember("noise", now);
        return tenon::moved(action, g.option("sigma") * (spec->rank > 0 ? now : squeeze(now)), *spec);
    }

    static constexpr auto options =
        std::tuple{tenon::live("sigma", 0.2, "[0,inf)",
                               "strength of the noise, in halves of the range between the bounds; can be scheduled"),
                   tenon::option<&OrnsteinUhlenbeck::theta>("theta", 0.15, "[0,inf)", "rate at which it returns to 0"),
                   tenon::option<&OrnsteinUhlenbeck::dt>("dt", 0.01, "(0,1]", "time between two steps")};
    static constexpr auto functions =
        std::tuple{tenon::function<&OrnsteinUhlenbeck::explore>("explore", "action", "action")};
};
