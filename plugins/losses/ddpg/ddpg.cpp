// SPDX-License-Identifier: Apache-2.0
// Deep deterministic policy gradient (Lillicrap et al. 2016): a deterministic actor follows the critic's gradient. Both
// stages read the parameters as of the start of the update.
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

namespace {

struct Ddpg {
    bool target_actor = true;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch(), next = batch.next();
        const auto actor = g.network("actor"), q = g.network("qvalue");
        const auto follower = target_actor ? actor.target() : actor;

        g.stage("critic", {.owns = {"qvalue"}});
        const auto y = tenon::bootstrapped(g, q.target()(next).q(follower(next).mode()));
        const auto chosen = q(batch).q(batch["action"]), error = chosen - stop_gradient(y);
        g.rows("critic.q", tenon::distance(kind, error));
        g.priority(abs(error));

        g.stage("actor", {.owns = {"actor"}});
        g.rows("actor.gain", -q(batch).q(actor(batch).mode()));

        g.metric("q_value", batch_mean(chosen));
        g.metric("td_error", batch_mean(abs(error)));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
        tenon::option<&Ddpg::target_actor>("target_actor", true, "", "the target actor chooses the next action"),
        tenon::option<&Ddpg::kind>("loss", "l2", tenon::kDistances, "distance of a value from its target")};
};

}  // namespace

TENON_PLUGIN("ddpg", "0.1.0", tenon::objective<Ddpg>("ddpg", "deep deterministic policy gradient"));
