// SPDX-License-Identifier: Apache-2.0
// Deep Q-learning with distributions of returns: C51 (Bellemare et al. 2017) and QR-DQN (Dabney et al. 2018).
// Parameters are read as of the start of the update; a row's priority is its loss.
#pragma once

#include <tuple>

#include "tenon/discounted.hpp"
#include "tenon/distributional.hpp"
#include "tenon/objective.hpp"

namespace dqn {

struct Distributional {
    bool double_q = true;

    // The next action, the one with the largest mean.
    [[nodiscard]] tenon::Value next_action(const tenon::Graph& g) const {
        const auto q = g.network("qvalue");
        return argmax((double_q ? q : q.target())(g.batch().next()).values());
    }
    // The target returns from those [.., n] of the next action.
    static tenon::Value returns(const tenon::Graph& g, tenon::Value next_values) {
        const auto batch = g.batch();
        const auto [reward, discount] = tenon::discounted(g, batch, g.option("gamma"));
        return unsqueeze(reward) + unsqueeze(discount * (1 - batch.next()["terminated"])) * next_values;
    }

    static constexpr auto options =
        std::tuple{tenon::live("gamma", 0.99, "[0,1]", "discount of the next value"),
                   tenon::option<&Distributional::double_q>(
                       "double", true, "", "the live network chooses the next action, the target network values it")};
};

struct C51 : Distributional {
    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto q = g.network("qvalue");
        const auto support = q(batch).call<1>("support", {})[0];
        const auto next_values = exp(q.target()(batch.next()).call<1>("atom_log_probs", {next_action(g)})[0]);
        const auto goal = stop_gradient(tenon::project(next_values, returns(g, support), support));

        const auto chosen = q(batch).call<1>("atom_log_probs", {batch["action"]})[0];
        const auto cross_entropy = -sum(goal * chosen);
        g.rows("q", cross_entropy);
        g.priority(cross_entropy);
        g.metric("q_value", batch_mean(sum(exp(chosen) * support)));
    }
};

struct Qr : Distributional {
    void update(const tenon::Graph& g) const {
        const auto batch = g.batch();
        const auto q = g.network("qvalue");
        const auto next_values = q.target()(batch.next()).call<1>("quantiles", {next_action(g)})[0];

        const auto chosen = q(batch).call<1>("quantiles", {batch["action"]})[0];
        const auto loss = tenon::quantile_huber(chosen, stop_gradient(returns(g, next_values)));
        g.rows("q", loss);
        g.priority(loss);
        g.metric("q_value", batch_mean(mean(chosen)));
    }
};

}  // namespace dqn
