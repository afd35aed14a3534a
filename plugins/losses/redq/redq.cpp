// SPDX-License-Identifier: Apache-2.0
// Randomised ensembled double Q-learning (Chen et al. 2021): soft actor-critic whose target is the minimum of a few
// critics, drawn anew in each update, and whose actor follows the mean of all. Made for many updates per frame. All
// stages read the parameters as of the start of the update.
#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/critics.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/temperature.hpp"

using tenon::Value;

namespace {

struct Redq : tenon::Temperature {
    std::int64_t subset = 2;
    std::int64_t delay = 1;
    std::string kind;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const Value weight = alpha(g);

        g.stage("critic", {.owns = {"qvalue"}});
        const auto next_sample = actor(next).sample();
        const Value all = q.target()(next).q(next_sample.action);
        const Value drawn = least_members(random_uniform(batch_mean(all), "subset"), subset);
        const Value soft = min_members(where(drawn, all, kNever)) - weight * next_sample.log_prob;
        tenon::critic_rows(g, kind, q(batch).q(batch["action"]), tenon::bootstrapped(g, soft));

        g.stage("actor", {.owns = {"actor"}, .every = delay});
        const auto draw = actor(batch).sample();
        g.rows("actor.gain", weight * draw.log_prob - mean_members(q(batch).q(draw.action)));
        learn(g, draw.log_prob, batch["action"], delay);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
            tenon::option<&Redq::subset>("subset", 2, "[1,1024]",
                                         "number of random critics whose minimum is the target"),
            tenon::option<&Redq::delay>("actor_every", 1, "[1,1000000]", "updates per update of the actor"),
            tenon::option<&Redq::kind>("loss", "huber", tenon::kDistances, "distance of a value from its target")},
        tenon::Temperature::options);

    static constexpr double kNever = 1e30;  // replaces a critic that was not drawn
};

}  // namespace

TENON_PLUGIN("redq", "0.1.0", tenon::objective<Redq>("redq", "randomised ensembled double Q-learning"));
