// SPDX-License-Identifier: Apache-2.0
// Agents of a group, such as several answers to a prompt: an action with a row for each of them, and an info with their
// rewards.
#pragma once

#include <string>

#include "tenon/env_spec.hpp"

namespace bridge {

inline constexpr const char* kRewards = "info.rewards";

// Makes the actions those of a group, whose size is that of the info, and adds the rewards of its agents. Throws if the
// spec has no such info, or an action that is no row for each agent.
void make_group(tenon::EnvSpec& spec, const std::string& group);

}  // namespace bridge
