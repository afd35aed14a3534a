// SPDX-License-Identifier: Apache-2.0
// The actions of a group's agents, each one of the same number of choices.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tenon/env.hpp"

// Throws if the agent has chosen what is no choice.
inline std::int64_t agent_action(std::int64_t action, std::int64_t choices) {
    if (action < 0 || action >= choices) {
        throw tenon::InvalidArgument("an agent's action is " + std::to_string(action) + ", but there are 0 to " +
                                     std::to_string(choices - 1));
    }
    return action;
}

// Those of all agents.
inline std::span<const std::int64_t> agents_actions(const tenon::EnvRow& row, std::int64_t choices) {
    const std::span<const std::int64_t> actions = row.action<std::int64_t>();
    for (const std::int64_t action : actions) {
        agent_action(action, choices);
    }
    return actions;
}
