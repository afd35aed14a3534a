// SPDX-License-Identifier: Apache-2.0
// The policy that draws every action uniformly from its spec. All actions are equally good to it, so that it draws
// where its mode is asked for as well.
#pragma once

#include <algorithm>
#include <cmath>

#include "tenon/policy.hpp"

struct Random {
    std::vector<tenon::Spec> actions;

    void setup_columns(const tenon::PolicySpec& spec) {
        actions = spec.actions;
        for (const tenon::Spec& action : actions) {
            const auto infinite = [](double end) { return !std::isfinite(end); };
            const bool bounded = !action.low.empty() && std::ranges::none_of(action.low, infinite) &&
                                 std::ranges::none_of(action.high, infinite);
            if (action.kind == TN_SPEC_UNBOUNDED || (action.kind == TN_SPEC_BOUNDED && !bounded)) {
                throw tenon::InvalidArgument("column '" + action.key + "' has no bounds to draw uniformly between");
            }
        }
    }

    void act(tenon::Rng& rng, const tenon::PolicyRow& row) const {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            tenon::with_dtype(actions[i].dtype, [&]<class E>(E) { draw<E>(actions[i], rng, row.action<E>(i)); });
        }
    }

    template <class E>
    static void draw(const tenon::Spec& spec, tenon::Rng& rng, std::span<E> out) {
        if (spec.kind == TN_SPEC_ONE_HOT) {
            const auto choices = static_cast<std::size_t>(spec.categories[0]);
            std::ranges::fill(out, E{0});
            for (std::size_t first = 0; first < out.size(); first += choices) {
                out[first + rng.below(choices)] = E{1};
            }
            return;
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = static_cast<E>(element<E>(spec, rng, i));
        }
    }

    template <class E>
    static auto element(const tenon::Spec& spec, tenon::Rng& rng, std::size_t i) {
        if (spec.kind == TN_SPEC_BINARY) {
            return static_cast<double>(rng.below(2));
        }
        if (spec.kind == TN_SPEC_BOUNDED) {
            const double low = spec.low[spec.low.size() == 1 ? 0 : i];
            const double high = spec.high[spec.high.size() == 1 ? 0 : i];
            return std::integral<E> ? std::floor(rng.uniform(low, high + 1)) : rng.uniform(low, high);
        }
        const std::size_t last = spec.categories.size() - 1;
        return static_cast<double>(rng.below(static_cast<std::uint64_t>(spec.categories[std::min(i, last)])));
    }
};
