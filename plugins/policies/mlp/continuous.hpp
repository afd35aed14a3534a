// SPDX-License-Identifier: Apache-2.0
// Actors with a vector of real numbers as action.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

#include "action.hpp"
#include "body.hpp"
#include "tenon/actor.hpp"
#include "tenon/heads/delta.hpp"
#include "tenon/heads/normal.hpp"
#include "tenon/heads/scale.hpp"
#include "tenon/heads/tanh_normal.hpp"
#include "tenon/heads/truncated_normal.hpp"

namespace mlp {

// A network that outputs locations; standard deviations are outputs as well, or separate parameters.
struct LocScale : Body {
    double scale_floor = 1e-4;
    double begin = 1;
    std::string scale_kind = "state";

    struct Out {
        tenon::Value loc;
        tenon::Value scale;
    };
    [[nodiscard]] Out out(const tenon::Graph& g, std::int64_t n) const {
        if (scale_kind == "free") {
            return {(*this)(g, n), tenon::free_scale(g, "scale", n, scale_floor, begin)};
        }
        const tenon::Value both = (*this)(g, 2 * n);
        return {slice(both, 0, n), tenon::positive_scale(slice(both, n, n), scale_floor, begin)};
    }

    static constexpr auto options = std::tuple_cat(
        Body::options,
        std::tuple{
            tenon::option<&LocScale::scale_floor>("scale_floor", 1e-4, "(0,inf)", "the smallest standard deviation"),
            tenon::option<&LocScale::scale_kind>("scale", "state", "state|free",
                                                 "where standard deviations come from: an output of the network (they "
                                                 "depend on the state), or free parameters"),
            tenon::option<&LocScale::begin>("initial_scale", 1.0, "(0.01,inf)",
                                            "the standard deviation for an output or parameter of 0")});
};

// A normal distribution for each element of an action without bounds.
struct Normal : LocScale {
    [[nodiscard]] tenon::Normal head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "normal", "an action without bounds", 1);
        if (action == nullptr) {
            return {};
        }
        const auto [loc, scale] = out(g, action->shape[0]);
        return {loc, scale};
    }
};

// A normal distribution for each element of a bounded action, squashed by tanh into its bounds.
struct TanhNormal : LocScale {
    [[nodiscard]] tenon::TanhNormal head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "tanh_normal", "a bounded action", 1);
        if (action == nullptr) {
            return {};
        }
        const auto [loc, scale] = out(g, action->shape[0]);
        return {loc, scale, tenon::bounds_of(*action)};
    }
};

// A normal distribution for each element, truncated to its bounds; tanh keeps its location within them.
struct TruncatedNormal : LocScale {
    [[nodiscard]] tenon::TruncatedNormal head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "truncated_normal", "a bounded action", 1);
        if (action == nullptr) {
            return {};
        }
        const auto [loc, scale] = out(g, action->shape[0]);
        const tenon::ActionBounds bounds = tenon::bounds_of(*action);
        return {bounds.squash(loc), scale, bounds};
    }
};

// A deterministic action, squashed by tanh into its bounds.
struct Deterministic : Body {
    [[nodiscard]] tenon::TanhDelta head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "deterministic", "a bounded action", 1);
        return action == nullptr ? tenon::TanhDelta{}
                                 : tenon::TanhDelta{(*this)(g, action->shape[0]), tenon::bounds_of(*action)};
    }
};

}  // namespace mlp
