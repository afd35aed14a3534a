// SPDX-License-Identifier: Apache-2.0
// Truncated quantile critics (Kuznetsov et al. 2020): soft actor-critic whose critics learn quantiles of the return.
// The target is the quantiles of all target critics without the largest, which counters overestimation; the actor
// follows the mean of all quantiles. All stages read the parameters as of the start of the update. The priority of a
// row is the largest mean error of its critics.
#include <cstdint>
#include <string>
#include <tuple>

#include "tenon/discounted.hpp"
#include "tenon/distributional.hpp"
#include "tenon/members.hpp"
#include "tenon/objective.hpp"
#include "tenon/plugin.hpp"
#include "tenon/sorting.hpp"
#include "tenon/temperature.hpp"

using tenon::Value;

namespace {

struct Tqc : tenon::Temperature {
    std::int64_t drop = 2;

    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto next = batch.next();
        const auto actor = g.network("actor");
        const auto q = g.network("qvalue");
        const Value weight = alpha(g);

        g.stage("critic", {.owns = {"qvalue"}});
        const auto next_sample = actor(next).sample();
        const Value kept = truncated(q.target()(next).call<1>("quantiles", {next_sample.action})[0]);
        const auto [reward, discount] = tenon::discounted(g, batch, g.option("gamma"));
        const Value goal = stop_gradient(unsqueeze(reward) + unsqueeze(discount * (1 - next["terminated"])) *
                                                                 (kept - unsqueeze(weight * next_sample.log_prob)));
        const Value chosen = q(batch).call<1>("quantiles", {batch["action"]})[0];
        g.rows("critic.q", tenon::quantile_huber(chosen, goal) / static_cast<double>(tenon::last_size(chosen)));
        g.priority(max_members(mean(mean(abs(unsqueeze(goal) - unsqueeze(chosen, -2))))));

        g.stage("actor", {.owns = {"actor"}});
        const auto draw = actor(batch).sample();
        const Value value = mean_members(mean(q(batch).call<1>("quantiles", {draw.action})[0]));
        g.rows("actor.gain", weight * draw.log_prob - value);
        learn(g, draw.log_prob, batch["action"]);
        g.metric("q_value", batch_mean(mean_members(mean(chosen))));
    }

    // The quantiles [B, n] of all critics in one row, ascending, without the largest.
    [[nodiscard]] Value truncated(Value quantiles) const {
        const std::int64_t n = tenon::last_size(quantiles);
        if (drop >= n) {
            throw tenon::InvalidArgument(
                "drop = " + std::to_string(drop) + " leaves none of the " + std::to_string(n) +
                " quantiles of a critic: make it smaller, or [policy.qvalue] quantiles larger");
        }
        const Value each = tenon::members(quantiles, "qvalue");  // [B, n, critics]
        const std::int64_t critics = tenon::last_size(each);
        return slice(tenon::sort(reshape(each, {n * critics})).values, 0, (n - drop) * critics);
    }

    static constexpr auto options = std::tuple_cat(
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   tenon::option<&Tqc::drop>("drop", 2, "[0,10000]",
                                             "quantiles per critic that the target leaves out, the largest of all")},
        tenon::Temperature::options);
};

}  // namespace

TENON_PLUGIN("tqc", "0.1.0", tenon::objective<Tqc>("tqc", "truncated quantile critics"));
