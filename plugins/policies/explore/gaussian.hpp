// SPDX-License-Identifier: Apache-2.0
// Normal noise on every element of a continuous action, which is then clamped to its bounds. The noise is in units of
// half the range, as in TD3; without two finite bounds, in the action's own units.
#pragma once

#include <tuple>

#include "continuous_action.hpp"
#include "tenon/options.hpp"

struct Gaussian {
    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tn_spec* spec = continuous_action(g, "gaussian");
        return spec == nullptr ? tenon::Value{}
                               : tenon::moved(action, g.option("sigma") * random_normal(action, "noise"), *spec);
    }

    static constexpr auto options = std::tuple{
        tenon::live("sigma", 0.1, "[0,inf)",
                    "standard deviation of the noise, in halves of the range between the bounds; can be scheduled")};
    static constexpr auto functions = std::tuple{tenon::function<&Gaussian::explore>("explore", "action", "action")};
};
