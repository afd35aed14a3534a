// SPDX-License-Identifier: Apache-2.0
// What networks tell a tree search about each position that it adds: the policy's probability of each action, and the
// value of the position for the player who moves.
#pragma once

#include <array>
#include <string>
#include <tuple>

#include "tenon/graph_component.hpp"
#include "tenon/options.hpp"

namespace plan {

struct Guide {
    std::string policy, value;

    [[nodiscard]] std::array<tenon::Value, 2> guide(const tenon::Graph& g) const {
        return {exp(g.network(policy.c_str())(g.batch()).log_probs()), g.network(value.c_str())(g.batch()).value()};
    }

    static constexpr auto options = std::tuple{
        tenon::option<&Guide::policy>("policy", "actor", "", "role of the policy, of one categorical action"),
        tenon::option<&Guide::value>("value", "value", "", "role of the value of a state")};
    static constexpr auto functions = std::tuple{tenon::function<&Guide::guide>("guide", "", "prior value")};
};

}  // namespace plan
