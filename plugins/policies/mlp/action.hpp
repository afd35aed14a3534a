// SPDX-License-Identifier: Apache-2.0
// The spec of an action that a head supports, or an error that names the head that supports it.
#pragma once

#include <string>
#include <string_view>

#include "tenon/build.hpp"
#include "tenon/heads/suited.hpp"

namespace mlp {

// The spec of the env's action, whose rows must have `rank` dimensions and match `needs`; null if the env has none,
// which has been reported.
inline const tn_spec* action_for(const tenon::Graph& g, const std::string& component, const std::string& needs,
                                 std::uint32_t rank) {
    if (g.spec("action", true) == nullptr && tenon::Graph::actions().size() > 1) {
        throw tenon::InvalidArgument(component + " needs " + needs +
                                     "; mlp/composite is for an action of several columns like this one");
    }
    const tn_spec* action = g.spec("action");
    if (action == nullptr) {
        return nullptr;
    }
    const tenon::Suited here = tenon::suited(*action);
    if (needs != here.kind) {
        throw tenon::InvalidArgument(
            component + " needs " + needs + "; " +
            (here.head == nullptr ? std::string("this is ") + here.kind
                                  : std::string("mlp/") + here.head + " is for " + here.kind + " like this one"));
    }
    if (action->rank != rank) {
        throw tenon::InvalidArgument(component + " needs " + needs +
                                     (rank == 0 ? " without dimensions" : " with one dimension") +
                                     ", but this one has " + std::to_string(action->rank));
    }
    return action;
}

// The spec of the env's categorical action for networks with something of every action; null if the env has none,
// which has been reported.
inline const tn_spec* categories_for(const tenon::Graph& g) {
    const tn_spec* action = g.spec("action");
    if (action == nullptr || action->kind == TN_SPEC_CATEGORICAL) {
        return action;
    }
    const tenon::Suited here = tenon::suited(*action);
    std::string sentence =
        std::string("it gives a value to each categorical action, as in DQN, but this env has ") + here.kind;
    const bool has_values = action->rank == 1 && action->kind != TN_SPEC_BOUNDED && action->kind != TN_SPEC_UNBOUNDED;
    if (here.head != nullptr) {
        const std::string actor = std::string(" with mlp/") + here.head;
        const bool suits_sac = here.head == std::string_view("tanh_normal");
        sentence += std::string(has_values ? ": use dqn/dqn with mlp/q_value, or ppo/ppo" : ": use ppo/ppo") + actor +
                    " and mlp/value" + (suits_sac ? ", or sac/sac" + actor + " and mlp/q" : "");
    }
    throw tenon::InvalidArgument(sentence);
}

}  // namespace mlp
