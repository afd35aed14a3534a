// SPDX-License-Identifier: Apache-2.0
// Exploration: what happens to an action between the policy and the environment while a run learns.
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

using tenon::Graph;
using tenon::Value;

namespace {

// With probability epsilon a categorical action gives way to one drawn uniformly from all.
struct EpsilonGreedy {
    [[nodiscard]] Value explore(const Graph& g, Value action) const {
        const tn_spec* spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        if (spec->kind != TN_SPEC_CATEGORICAL) {
            throw tenon::InvalidArgument("epsilon_greedy needs a categorical action");
        }
        const double n = static_cast<double>(spec->categories[0]);
        const Value uniform = cast(floor(random_uniform(action, "which") * n), "int");
        return where(random_uniform(action, "whether") < g.option("epsilon"), uniform, action);
    }

    static constexpr auto options =
        std::tuple{tenon::live("epsilon", 0.1, "[0,1]", "the probability of a random action; move it with [schedule]")};
    static constexpr auto functions =
        std::tuple{tenon::function<&EpsilonGreedy::explore>("explore", "action", "action")};
};

}  // namespace

TENON_PLUGIN("explore", "0.1.0",
             tenon::policy_graph<EpsilonGreedy>("epsilon_greedy", "a uniformly random action now and then"));
