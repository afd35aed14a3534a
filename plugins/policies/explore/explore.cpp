// SPDX-License-Identifier: Apache-2.0
// Exploration: what happens to an action between the policy and the environment while a run learns.
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

// With probability epsilon a categorical action gives way to one drawn uniformly from all that are allowed.
struct EpsilonGreedy {
    [[nodiscard]] Value explore(const Graph& g, Value action) const {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        if (spec->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("epsilon_greedy needs a categorical action");
        }
        return where(random_uniform(action, "whether") < g.option("epsilon"), uniform(g, action, *spec), action);
    }

    [[nodiscard]] static Value uniform(const Graph& g, Value action, const tn_spec& spec) {
        if (g.spec("action_mask", true) == nullptr) {
            return cast(floor(random_uniform(action, "which") * static_cast<double>(spec.categories[0])), "int");
        }
        const Value mask = g.batch()["action_mask"];
        return argmax(where(mask, random_uniform(mask, "which"), -1));  // the largest of independent ones is any
    }

    static constexpr auto options =
        std::tuple{tenon::live("epsilon", 0.1, "[0,1]", "the probability of a random action; move it with [schedule]")};
    static constexpr auto functions =
        std::tuple{tenon::function<&EpsilonGreedy::explore>("explore", "action", "action")};
};

}  // namespace

TENON_PLUGIN("explore", "0.1.0",
             tenon::policy_graph<EpsilonGreedy>("epsilon_greedy", "a uniformly random action now and then"));
