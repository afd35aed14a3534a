// SPDX-License-Identifier: Apache-2.0
// Values of actions that learn from the rewards of a row and the value of what follows it: what objectives with critics
// have in common. They have the options gamma and, where they choose a distance, loss.
#pragma once

#include <source_location>
#include <string>

#include "tenon/discounted.hpp"
#include "tenon/estimators.hpp"
#include "tenon/losses.hpp"

namespace tenon {
inline namespace TENON_SDK {

// What a row is to be worth, by the option gamma: what its steps earned and, unless the episode terminated, the value
// `ahead` of what is under next.
inline Value bootstrapped(const Graph& g, In ahead) {
    const detail::CalledFrom caller(ahead.at);
    const Batch batch = g.batch();
    const auto [reward, discount] = discounted(g, batch, g.option("gamma"));
    return td0(reward, ahead, batch.next()["terminated"], discount);
}

// The value that the network "qvalue" gives the best next action: its target network values what this one or, if
// double, the live one chooses (van Hasselt et al. 2016).
inline Value best_ahead(const Graph& g, bool double_q, std::source_location at = std::source_location::current()) {
    const detail::CalledFrom caller(at);
    const Batch next = g.batch().next();
    const Network q = g.network("qvalue");
    return double_q ? q.target()(next).q(argmax(q(next).values())) : max_over(q.target()(next).values());
}

// The loss "critic.q" of critics that are members of a network, and the priority of a row: how far the furthest of them
// is from the target. Gives the errors.
inline Value critic_rows(const Graph& g, const std::string& kind, In chosen, In target) {
    const detail::CalledFrom caller(chosen.at);
    const Value error = chosen - stop_gradient(target);
    g.rows("critic.q", distance(kind, error));
    g.priority(max_members(abs(error)));
    return error;
}

}  // namespace TENON_SDK
}  // namespace tenon
