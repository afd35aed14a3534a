// SPDX-License-Identifier: Apache-2.0
// Soft actor-critic with as many critics as the network has members (Haarnoja et al. 2018), and a temperature that is
// learnt. All stages read the parameters as of the start of the update.
#include <cmath>

#include "tenon/losses.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"

using tenon::Value;

namespace {

struct Sac {
    double first_alpha = 1;
    bool learns_alpha = true;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const auto log_alpha = g.parameter("log_alpha", {}, tenon::constant(std::log(first_alpha)));
        const auto alpha = stop_gradient(exp(log_alpha));

        g.stage("critic", {.owns = {"qvalue"}});
        const auto ahead = actor(next).sample();
        const auto soft = min_members(q.target()(next).q(ahead.action)) - alpha * ahead.log_prob;
        const auto y = stop_gradient(next["reward"] + g.option("gamma") * (1 - next["terminated"]) * soft);
        g.rows("critic.q", tenon::smooth_l1(q(batch).q(batch["action"]) - y));

        g.stage("actor", {.owns = {"actor"}});
        const auto draw = actor(batch).sample();
        g.rows("actor.gain", alpha * draw.log_prob - min_members(q(batch).q(draw.action)));

        if (learns_alpha) {
            g.stage("temperature", {.owns = {"objective"}});
            const Value goal = g.option("target_entropy") * static_cast<double>(tenon::last_size(batch["action"]));
            g.rows("temperature.alpha", -log_alpha * stop_gradient(draw.log_prob + goal));
        }
        g.metric("alpha", alpha);
        g.metric("entropy", -batch_mean(draw.log_prob));
    }

    static constexpr auto options = std::tuple{
        tenon::live("gamma", 0.99, "[0,1]", "discount"),
        tenon::live("target_entropy", -1.0, "", "what the temperature aims at, for each element of the action"),
        tenon::option<&Sac::first_alpha>("alpha", 1.0, "(0,inf)", "the temperature, or where it begins"),
        tenon::option<&Sac::learns_alpha>("learn_alpha", true, "", "whether the temperature is learnt")};
};

}  // namespace

TENON_PLUGIN("sac", "0.1.0", tenon::objective<Sac>("sac", "soft actor-critic"));
