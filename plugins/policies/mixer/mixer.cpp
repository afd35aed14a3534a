// SPDX-License-Identifier: Apache-2.0
// Mixers: the value of a joint action from the values that agents give their own actions, of one group or of several.
#include <tuple>

#include "kinds.hpp"
#include "qmix.hpp"
#include "tenon/agents.hpp"
#include "tenon/plugin.hpp"
#include "tenon/policy_graph.hpp"

namespace {

// Value decomposition (VDN, Sunehag et al. 2018): the sum of the agents' values.
struct Vdn {
    [[nodiscard]] tenon::Value mix(const tenon::Graph&, tenon::Value values) const {
        return sum(tenon::agents(values));
    }

    static constexpr auto options = std::tuple{};
    static constexpr auto functions = std::tuple{tenon::function<&Vdn::mix>("mix", "values", "value")};
};

}  // namespace

TENON_PLUGIN("mixer", "0.1.0", tenon::policy_graph<Vdn>("vdn", "the sum of the agents' values"),
             tenon::policy_graph<Kinds>("kinds", "the same of agents of several groups, whose networks it calls"),
             tenon::policy_graph<Qmix>("qmix", "a monotonic function of the agents' values and the state"));
