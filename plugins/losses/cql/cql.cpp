// SPDX-License-Identifier: Apache-2.0
// Conservative Q-learning on soft actor-critic (Kumar et al. 2020, CQL(H) with importance weights, appendix F): lowers
// the values of actions outside the data relative to those of the data. All stages read the parameters as of the start
// of the update.
#include <cstdint>
#include <string>
#include <tuple>

#include "discrete.hpp"
#include "tenon/critics.hpp"
#include "tenon/heads.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/temperature.hpp"

using tenon::Batch;
using tenon::Graph;
using tenon::Value;

namespace {

struct Cql : tenon::Temperature {
    std::int64_t draws = 10;
    std::int64_t clone_updates = 0;
    bool entropy_in_target = false;
    bool best_of_draws = false;
    bool lagrange = false;
    std::string kind;

    void update(const Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const Value weight = alpha(g);

        g.stage("critic", {.owns = {"qvalue"}});
        const Value chosen = q(batch).q(batch["action"]);
        tenon::critic_rows(g, kind, chosen, tenon::bootstrapped(g, next_value(g)));
        const Value gap = g.option("cql_weight") * (overestimate(g) - chosen);
        const Value multiplier = lagrange ? clamp(exp(log_multiplier(g)), 0.0, 1e6) : Value{};
        const Value excess = lagrange ? gap - g.option("lagrange_gap") : gap;
        g.rows("critic.cql", lagrange ? stop_gradient(multiplier) * excess : excess);

        g.stage("actor", {.owns = {"actor"}});
        const auto draw = actor(batch).sample();
        const Value gain = weight * draw.log_prob - tenon::smallest("qvalue", q(batch).q(draw.action));
        g.rows("actor.gain", clone_updates == 0
                                 ? gain
                                 : where(g.updates() < static_cast<double>(clone_updates),
                                         weight * draw.log_prob - actor(batch).log_prob(batch["action"]), gain));
        learn(g, draw.log_prob, batch["action"]);
        if (lagrange) {
            if (!learns_alpha) {  // only one stage may own a network
                g.stage("temperature", {.owns = {"objective"}});
            }
            g.rows("temperature.lagrange", -multiplier * mean_members(stop_gradient(excess)));
            g.metric("multiplier", multiplier);
        }
        g.metric("q_value", batch_mean(mean_members(chosen)));
    }

    static Value log_multiplier(const Graph& g) { return g.parameter("log_multiplier", {}, tenon::zeros()); }

    // The value of the policy's next action.
    [[nodiscard]] Value next_value(const Graph& g) const {
        const auto next = g.batch().next();
        const auto actor = best_of_draws ? g.network("actor")(next).draws(draws) : g.network("actor")(next);
        const auto drawn = actor.sample();
        const Value values = g.network("qvalue").target()(next).q(drawn.action);
        Value later = tenon::smallest("qvalue", best_of_draws ? max_over(collect(values, "draws")) : values);
        if (entropy_in_target && !best_of_draws) {
            later = later - alpha(g) * drawn.log_prob;
        }
        return later;
    }

    // log of the sum of exp(q) over actions, estimated with uniform draws and draws of the policy in both states.
    [[nodiscard]] Value overestimate(const Graph& g) const {
        const auto batch = g.batch();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue")(batch);
        const auto scores = [&](Value action, Value log_density) {
            return collect(q.q(action) - log_density, "draws");
        };
        const tn_spec* const spec = g.spec("action");
        if (spec == nullptr) {
            return {};
        }
        const auto bounds =
            tenon::finite_bounds_of(*spec, "cql/cql needs bounded actions (cql/discrete is for categorical ones)");
        const Value uniform = random_uniform(tenon::spread(batch["action"], "draws", draws), "uniform");
        const Value span = bounds.high - bounds.low;
        const Value log_uniform = -sum(log(span) + 0 * uniform);  // one per draw
        const auto here = actor(batch).draws(draws).sample();
        const auto drawn_next = actor(batch.next()).draws(draws).sample();
        const Value t = g.option("cql_temperature");
        const Value all =
            tenon::concat({scores(bounds.low + span * uniform, log_uniform),
                           scores(drawn_next.action, drawn_next.log_prob), scores(here.action, here.log_prob)});
        return t * logsumexp(all / t);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
            tenon::live("cql_weight", 1.0, "[0,inf)", "weight of the conservative term"),
            tenon::live("cql_temperature", 1.0, "(0,inf)", "temperature of its maximum over actions"),
            tenon::live("lagrange_gap", 0.0, "", "target gap of the learnt multiplier"),
            tenon::option<&Cql::draws>("draws", 10, "[1,1000]",
                                       "actions drawn per row from each of three distributions"),
            tenon::option<&Cql::clone_updates>("clone_updates", 0, "[0,inf)",
                                               "initial updates in which the actor imitates the data"),
            tenon::option<&Cql::entropy_in_target>("entropy_in_target", false, "",
                                                   "whether targets include the entropy of the next action"),
            tenon::option<&Cql::best_of_draws>("best_of_draws", false, "",
                                               "whether a target uses the best of several next actions"),
            tenon::option<&Cql::lagrange>("lagrange", false, "",
                                          "whether a multiplier of the conservative term is learnt"),
            tenon::option<&Cql::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")},
        tenon::Temperature::options);
};

}  // namespace

TENON_PLUGIN("cql", "0.1.0", tenon::objective<Cql>("cql", "conservative Q-learning for continuous actions"),
             tenon::objective<cql::Discrete>("discrete", "conservative Q-learning for categorical actions"));
