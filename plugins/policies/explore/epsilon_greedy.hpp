// SPDX-License-Identifier: Apache-2.0
// Replaces an action of choices, with probability epsilon, by one drawn uniformly from all allowed actions.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "tenon/build.hpp"
#include "tenon/graph_component.hpp"
#include "tenon/heads/action.hpp"
#include "tenon/heads/multi_categorical.hpp"
#include "tenon/options.hpp"

struct EpsilonGreedy {
    [[nodiscard]] tenon::Value explore(const tenon::Graph& g, tenon::Value action) const {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        if (spec->kind == TN_SPEC_CATEGORICAL) {
            return where(random_uniform(action, "whether") < g.option("epsilon"), uniform(g, action, *spec), action);
        }
        const bool chooses =
            spec->kind == TN_SPEC_ONE_HOT || spec->kind == TN_SPEC_MULTI_CATEGORICAL || spec->kind == TN_SPEC_BINARY;
        if (!chooses || spec->rank != 1) {
            throw tenon::InvalidArgument(
                "epsilon_greedy needs an action of choices: categorical, one-hot, "
                "multi-categorical or binary, of one dimension");
        }
        // Whole actions are replaced, with all of their parts.
        const tenon::Value whether = random_uniform(squeeze(slice(action, 0, 1)), "whether") < g.option("epsilon");
        return cast(where(unsqueeze(whether), several(g, action, *spec), action), tenon::kind_of(*spec));
    }

    [[nodiscard]] static tenon::Value uniform(const tenon::Graph& g, tenon::Value action, const tn_spec& spec) {
        if (g.spec("action_mask", true) == nullptr) {
            return cast(floor(random_uniform(action, "which") * static_cast<double>(spec.categories[0])), "int");
        }
        const tenon::Value mask = g.batch()["action_mask"];
        return argmax(where(mask, random_uniform(mask, "which"), -1));  // which is a uniform choice
    }

    // The same for an action that is a vector.
    [[nodiscard]] static tenon::Value several(const tenon::Graph& g, tenon::Value action, const tn_spec& spec) {
        if (spec.kind == TN_SPEC_BINARY) {
            return cast(random_uniform(action, "which") < 0.5, tenon::kind_of(spec));
        }
        const std::span sizes(spec.categories, spec.category_count);
        const bool one = spec.kind == TN_SPEC_ONE_HOT;
        if (g.spec("action_mask", true) == nullptr && !one) {
            const std::vector<double> counts(sizes.begin(), sizes.end());
            return cast(floor(random_uniform(action, "which") * tenon::constants(counts)), "int");
        }
        // The largest of independent numbers, one per alternative, is a uniform choice.
        tenon::Value drawn;
        if (g.spec("action_mask", true) == nullptr) {
            drawn = random_uniform(action, "which");
        } else {
            const tenon::Value mask = g.batch()["action_mask"];
            drawn = where(mask, random_uniform(mask, "which"), -1);
        }
        return one ? cast(one_hot(argmax(drawn), sizes.front()), tenon::kind_of(spec))
                   : argmax(tenon::by_part(drawn, sizes));
    }

    static constexpr auto options =
        std::tuple{tenon::live("epsilon", 0.1, "[0,1]", "probability of a random action; can be scheduled")};
    static constexpr auto functions =
        std::tuple{tenon::function<&EpsilonGreedy::explore>("explore", "action", "action")};
};
