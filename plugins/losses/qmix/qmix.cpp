// SPDX-License-Identifier: Apache-2.0
// Q-learning of joint actions whose value a network "mixer" makes of the agents' values (Rashid et al. 2018, eq. 6).
// With mixer/vdn it is value decomposition (Sunehag et al. 2018). Each agent's next action is chosen by the live
// network if double, otherwise by the target network.
#include <string>

#include "tenon/agents.hpp"
#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

using tenon::Value;

namespace {

struct Qmix {
    bool double_q = true;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto mixer = g.network("mixer");

        const Value next_value = mixed(mixer.target()(batch.next()), tenon::best_ahead(g, double_q));
        // a reward that each agent has of its own counts as its mean over agents
        const Value y = tenon::mean_over_agents(tenon::bootstrapped(g, next_value));
        const Value chosen = mixed(mixer(batch), g.network("qvalue")(batch).q(batch["action"]));
        const Value error = chosen - stop_gradient(y);

        g.rows("q", tenon::distance(kind, error));
        g.priority(abs(error));
        g.metric("q_value", batch_mean(chosen));
        g.metric("td_error", batch_mean(abs(error)));
    }

    [[nodiscard]] static Value mixed(const tenon::Bound& mixer, Value values) {
        return mixer.call<1>("mix", {values})[0];
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   tenon::option<&Qmix::double_q>(
                       "double", true, "", "the live network chooses next actions, the target network values them"),
                   tenon::option<&Qmix::kind>("loss", "l2", tenon::kDistances, "distance of a value from its target")};
};

}  // namespace

TENON_PLUGIN("qmix", "0.1.0",
             tenon::objective<Qmix>("qmix", "Q-learning of a group's joint actions through a mixer of agents' values"));
