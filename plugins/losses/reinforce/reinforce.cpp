// SPDX-License-Identifier: Apache-2.0
// REINFORCE (Williams 1992) with rewards to go, and optionally the value of the state as baseline. A return that the
// end of the batch or a time limit cuts off bootstraps from the baseline, if there is one. With a baseline, other
// estimators may take the place of the rewards to go.
#include "tenon/actor_critic.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Reinforce : tenon::ActorCritic {
    bool baseline = true;
    bool bootstrap = true;

    void prepare(const tenon::Graph& g) const {
        const bool collects = estimator == "mc" && !(baseline && bootstrap);  // no value enters the returns
        if (!collects && !baseline) {
            throw tenon::InvalidArgument("estimator = \"" + estimator +
                                         "\" needs values: set baseline = true or estimator = \"mc\"");
        }
        if (!collects && !bootstrap) {
            throw tenon::InvalidArgument("bootstrap = false needs estimator = \"mc\"");
        }
        if (!collects) {
            prepare_advantage(g);
            return;
        }
        const auto batch = g.batch(), next = batch.next();
        const auto returns = tenon::reward_to_go(next["reward"], next["done"], g.option("gamma"));
        if (baseline) {
            const auto v = value_of(g, batch);
            write_advantage(g, returns - v, returns, v);
        } else {
            write_advantage_alone(g, returns);
        }
    }

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor")(batch);

        g.rows("policy", -actor.log_prob(batch["action"]) * advantage(g));
        if (baseline) {
            value_rows(g);
        }
        entropy_rows(g, actor);
    }

    static constexpr auto options = std::tuple_cat(
        tenon::ActorCritic::options, estimator_options("mc"),
        std::tuple{tenon::option<&Reinforce::baseline>(
                       "baseline", true, "", "subtract the value of the state; otherwise there is no value network"),
                   tenon::option<&Reinforce::bootstrap>(
                       "bootstrap", true, "", "with a baseline and mc: bootstrap truncated episodes with its value")});
};

}  // namespace

TENON_PLUGIN("reinforce", "0.1.0", tenon::objective<Reinforce>("reinforce", "policy gradient with rewards to go"));
