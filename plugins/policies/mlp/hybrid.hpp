// SPDX-License-Identifier: Apache-2.0
// An actor with both discrete choices and real numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "continuous.hpp"
#include "tenon/heads/hybrid.hpp"

namespace mlp {

// The first elements of a bounded action are integers between their bounds.
struct Hybrid : LocScale {
    std::int64_t choices = 1;

    [[nodiscard]] tenon::Hybrid head(const tenon::Graph& g) const {
        const tn_spec* action = action_for(g, "hybrid", "a bounded action", 1);
        if (action == nullptr) {
            return {};
        }
        const std::int64_t reals = action->shape[0] - choices;
        if (reals < 1) {
            throw tenon::InvalidArgument("hybrid needs an action with more elements than its choices, " +
                                         std::to_string(choices) + "; this one has " +
                                         std::to_string(action->shape[0]));
        }
        const std::vector<double> low = all_of(*action, action->low);
        const std::vector<double> high = all_of(*action, action->high);
        const std::vector<std::int64_t> sizes = categories(low, high);
        const std::int64_t scores = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        const bool is_free = scale_kind == "free";
        const tenon::Value out = (*this)(g, scores + (is_free ? reals : 2 * reals));
        const auto after = [&](const std::vector<double>& bounds) {
            return tenon::constants(std::span(bounds).subspan(static_cast<std::size_t>(choices)));
        };
        return {tenon::by_part(slice(out, 0, scores), sizes),
                slice(out, scores, reals),
                is_free ? tenon::free_scale(g, "scale", reals, scale_floor, begin)
                        : tenon::positive_scale(slice(out, scores + reals, reals), scale_floor, begin),
                tenon::constants(std::span(low).first(sizes.size())),
                {after(low), after(high)}};
    }

    static constexpr auto options =
        std::tuple_cat(LocScale::options,
                       std::tuple{tenon::option<&Hybrid::choices>(
                           "choices", 1, "[1,1000000]", "number of elements, from the first, that are whole numbers")});

private:
    static std::vector<double> all_of(const tn_spec& action, const double* bounds) {
        std::vector<double> out;
        for (std::int64_t i = 0; i < action.shape[0]; ++i) {
            out.push_back(bounds[action.bound_count == 1 ? 0 : i]);
        }
        return out;
    }

    [[nodiscard]] std::vector<std::int64_t> categories(const std::vector<double>& low,
                                                       const std::vector<double>& high) const {
        std::vector<std::int64_t> out;
        for (std::size_t i = 0; i < static_cast<std::size_t>(choices); ++i) {
            const double size = high[i] - low[i] + 1;
            if (low[i] != std::floor(low[i]) || size != std::floor(size) || size > 1e5) {
                throw tenon::InvalidArgument("element " + std::to_string(i) +
                                             " of the action is a choice, but its bounds are not whole numbers "
                                             "that differ by less than 100000");
            }
            out.push_back(static_cast<std::int64_t>(size));
        }
        return out;
    }
};

}  // namespace mlp
