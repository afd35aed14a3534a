// SPDX-License-Identifier: Apache-2.0
// Replaces a categorical action, with probability epsilon, by one drawn uniformly from all allowed actions.
#pragma once

#include <tuple>

#include "tenon/build.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

struct EpsilonGreedy {
    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        if (spec->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("epsilon_greedy needs a categorical action");
        }
        return where(random_uniform(action, "whether") < g.option("epsilon"), uniform(g, action, *spec), action);
    }

    [[nodiscard]] static tenon::Value uniform(const tenon::Graph& g, tenon::Value action, const tn_spec& spec) {
        if (g.spec("action_mask", true) == nullptr) {
            return cast(floor(random_uniform(action, "which") * static_cast<double>(spec.categories[0])), "int");
        }
        const tenon::Value mask = g.batch()["action_mask"];
        return argmax(where(mask, random_uniform(mask, "which"), -1));  // which is a uniform choice
    }

    static constexpr auto options =
        std::tuple{tenon::live("epsilon", 0.1, "[0,1]", "probability of a random action; can be scheduled")};
    static constexpr auto functions =
        std::tuple{tenon::function<&EpsilonGreedy::explore>("explore", "action", "action")};
};
