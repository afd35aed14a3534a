// SPDX-License-Identifier: Apache-2.0
// The common part of objectives with critics: action values that learn from the rewards of a row and a bootstrap value.
// Such objectives have the option gamma and, if the distance is configurable, loss.
#pragma once

#include <source_location>
#include <string>

#include "tenon/discounted.hpp"
#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"

namespace tenon {
inline namespace TENON_SDK {

// The target of a row, with the option gamma: the rewards of its steps and, unless the episode terminated, the
// discounted value `next_value` of the state after them.
inline Value bootstrapped(const Graph& g, In next_value) {
    const detail::CalledFrom caller(next_value.at);
    const Batch batch = g.batch();
    const auto [reward, discount] = discounted(g, batch, g.option("gamma"));
    return td0(reward, next_value, batch.next()["terminated"], discount);
}

// The value of the best next action by the network "qvalue". Its target network evaluates the action, which the target
// network or, with double, the live network selects (van Hasselt et al. 2016).
inline Value best_ahead(const Graph& g, bool double_q, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Batch next = g.batch().next();
    const Network q = g.network("qvalue");
    if (const tn_spec* action = g.spec("action", true); action != nullptr && action->kind != TN_SPEC_CATEGORICAL) {
        // Only the network knows how values and actions belong together.
        return q.target()(next).q((double_q ? q : q.target())(next).call<2>("mode", {})[0]);
    }
    return double_q ? q.target()(next).q(argmax(q(next).values())) : max_over(q.target()(next).values());
}

// Adds the loss "critic.q" of an ensemble of critics. The priority of a row is the largest error among the members.
// Returns the errors.
inline Value critic_rows(const Graph& g, const std::string& kind, In chosen, In target) {
    const detail::CalledFrom caller(chosen.at);
    const Value error = chosen - stop_gradient(target);
    g.rows("critic.q", distance(kind, error));
    g.priority(max_members(abs(error)));
    return error;
}

}  // namespace TENON_SDK
}  // namespace tenon
