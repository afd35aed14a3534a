// SPDX-License-Identifier: Apache-2.0
// Normal noise on every element of a continuous action, which then is moved back into its bounds. It is counted in
// halves of what lies between them, as TD3's noise is; without two finite bounds, in units of the action.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/options.hpp"

struct Gaussian {
    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        const bool continuous = spec->kind == TN_SPEC_BOUNDED || spec->kind == TN_SPEC_UNBOUNDED;
        if (!continuous || std::string_view(tenon::kind_of(*spec)) != "real") {
            throw tenon::InvalidArgument(
                "gaussian needs an action of real numbers; explore/epsilon_greedy is for categorical ones");
        }
        const tenon::Value noise = g.option("sigma") * random_normal(action, "noise");
        if (spec->bound_count == 0) {
            return action + noise;
        }
        const tenon::ActionBounds bounds = tenon::bounds_of(*spec);
        return clamp(action + (is_finite(*spec) ? bounds.half() * noise : noise), bounds.low, bounds.high);
    }

    static bool is_finite(const tn_spec& spec) {
        const auto finite = [](double bound) { return std::isfinite(bound); };
        return std::all_of(spec.low, spec.low + spec.bound_count, finite) &&
               std::all_of(spec.high, spec.high + spec.bound_count, finite);
    }

    static constexpr auto options = std::tuple{tenon::live(
        "sigma", 0.1, "[0,inf)",
        "standard deviation of the noise, in halves of the range between the bounds; move it with [schedule]")};
    static constexpr auto functions = std::tuple{tenon::function<&Gaussian::explore>("explore", "action", "action")};
};
