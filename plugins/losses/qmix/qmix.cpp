// SPDX-License-Identifier: Apache-2.0
// Q-learning of joint actions whose value a network "mixer" makes of the agents' values (Rashid et al. 2018, eq. 6).
// With mixer/vdn it is value decomposition (Sunehag et al. 2018). Each agent's next action is chosen by the live
// network if double, otherwise by the target network.
#include <cstddef>
#include <string>
#include <vector>

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

// The same for agents of several groups: the network "mixer" calls theirs (mixer/kinds).
struct Kinds {
    std::string kind;
    std::vector<std::string> rewards;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto mixer = g.network("mixer");
        const Value next_value = mixer.target()(batch.next()).call<1>("best", {})[0];
        const Value chosen = mixer(batch).call<1>("chosen", {})[0];
        const Value error = chosen - stop_gradient(target(g, next_value));

        g.rows("q", tenon::distance(kind, error));
        g.priority(abs(error));
        g.metric("q_value", batch_mean(chosen));
        g.metric("td_error", batch_mean(abs(error)));
    }

    // Rewards of groups are added up, each as its mean over agents.
    [[nodiscard]] Value target(const tenon::Graph& g, Value next_value) const {
        if (rewards.empty()) {
            return tenon::bootstrapped(g, next_value);
        }
        const auto next = g.batch().next();
        Value reward = mean(next[rewards.front().c_str()]);
        for (std::size_t i = 1; i < rewards.size(); ++i) {
            reward = reward + mean(next[rewards[i].c_str()]);
        }
        return tenon::td0(reward, next_value, next["terminated"], g.option("gamma"));
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   tenon::option<&Kinds::rewards>("rewards", {}, "",
                                                  "columns of groups, such as hunters.reward, whose means over agents "
                                                  "add up to the reward; empty: the env's reward"),
                   tenon::option<&Kinds::kind>("loss", "l2", tenon::kDistances, "distance of a value from its target")};
};

}  // namespace

TENON_PLUGIN("qmix", "0.1.0",
             tenon::objective<Kinds>("kinds", "the same for agents of several groups, whose networks the mixer calls"),
             tenon::objective<Qmix>("qmix", "Q-learning of a group's joint actions through a mixer of agents' values"));
