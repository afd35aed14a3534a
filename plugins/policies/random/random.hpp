// SPDX-License-Identifier: Apache-2.0
// A policy that draws every action uniformly from its spec, or from what a mask allows (the observation
// "<action>_mask"). To it all actions are equally good, so its mode is a draw as well.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "tenon/policy.hpp"

struct Random {
    std::vector<tenon::Spec> actions;
    std::vector<std::optional<std::size_t>> masks;  // [action] the index of the observation that is its mask

    void setup_columns(const tenon::PolicySpec& spec) {
        actions = spec.actions;
        masks.clear();
        for (const tenon::Spec& action : actions) {
            const auto mask = std::ranges::find(spec.observations, action.key + "_mask", &tenon::Spec::key);
            const auto number = static_cast<std::size_t>(mask - spec.observations.begin());
            masks.push_back(mask == spec.observations.end() ? std::nullopt : std::optional(number));
            const auto infinite = [](double end) { return !std::isfinite(end); };
            const bool bounded = !action.low.empty() && std::ranges::none_of(action.low, infinite) &&
                                 std::ranges::none_of(action.high, infinite);
            if (action.kind == TN_SPEC_UNBOUNDED || (action.kind == TN_SPEC_BOUNDED && !bounded)) {
                throw tenon::InvalidArgument("column '" + action.key + "' needs bounds to draw uniformly between");
            }
        }
    }

    void act(tenon::Rng& rng, const tenon::PolicyRow& row) const {
        for (std::size_t i = 0; i < actions.size(); ++i) {
            tenon::with_dtype(actions[i].dtype, [&]<class E>(E) {
                if (masks[i]) {
                    draw_allowed<E>(actions[i], row.observation<bool>(*masks[i]), rng, row.action<E>(i));
                } else {
                    draw<E>(actions[i], rng, row.action<E>(i));
                }
            });
        }
    }

    // The mask of a multi-categorical action has its parts concatenated, and that of a group's action those of its
    // agents.
    template <class E>
    static void draw_allowed(const tenon::Spec& spec, std::span<const bool> mask, tenon::Rng& rng, std::span<E> out) {
        if (spec.kind == TN_SPEC_ONE_HOT) {
            const auto choices = static_cast<std::size_t>(spec.categories[0]);
            std::ranges::fill(out, E{0});
            for (std::size_t first = 0; first < out.size(); first += choices) {
                out[first + among(mask.subspan(first, choices), rng)] = E{1};
            }
            return;
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto size = static_cast<std::size_t>(spec.categories[i % spec.categories.size()]);
            out[i] = static_cast<E>(among(mask.first(size), rng));
            mask = mask.subspan(size);
        }
    }

    // Any category if the mask allows nothing, as in rows of a parked lane.
    static std::size_t among(std::span<const bool> mask, tenon::Rng& rng) {
        const bool none = std::ranges::none_of(mask, std::identity{});
        const auto choices = none ? mask.size() : static_cast<std::size_t>(std::ranges::count(mask, true));
        std::uint64_t skip = rng.below(choices);
        const auto chosen = std::ranges::find_if(mask, [&](bool allowed) { return (allowed || none) && skip-- == 0; });
        return static_cast<std::size_t>(chosen - mask.begin());
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
        return static_cast<double>(rng.below(static_cast<std::uint64_t>(spec.categories[i % spec.categories.size()])));
    }
};
