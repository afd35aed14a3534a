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

// `at` is where a mistake is looked for: the line that calls.

// What a row is to be worth, by the option gamma: what its steps earned and, unless the episode terminated, the value
// `ahead` of what is under next.
inline Value bootstrapped(const Graph& g, In ahead) {
    const Batch batch = g.batch();
    const auto [reward, discount] = discounted(g, batch, g.option({"gamma", ahead.at}));
    return td0({reward, ahead.at}, ahead, batch.next()[{"terminated", ahead.at}], discount);
}

// The value that the network "qvalue" gives the best next action: its target network values what this one or, if
// double, the live one chooses (van Hasselt et al. 2016).
inline Value best_ahead(const Graph& g, bool double_q, std::source_location at = std::source_location::current()) {
    const Batch next = g.batch().next();
    const Network q = g.network("qvalue");
    return double_q ? q.target()(next).q({argmax(q(next).values(at)), at}) : max_over(q.target()(next).values(at));
}

// The loss "critic.q" of critics that are members of a network, and the priority of a row: how far the furthest of them
// is from the target. Gives the errors.
inline Value critic_rows(const Graph& g, const std::string& kind, In chosen, In target) {
    const Value error = chosen - In{stop_gradient(target), target.at};
    g.rows({"critic.q", chosen.at}, distance(kind, {error, chosen.at}));
    g.priority({max_members({abs(error), chosen.at}), chosen.at});
    return error;
}

}  // namespace TENON_SDK
}  // namespace tenon
