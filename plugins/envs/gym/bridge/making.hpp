// SPDX-License-Identifier: Apache-2.0
// What the workers make.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bridge {

struct Making {
    std::string id;                       // as make.py understands it
    std::string id_option = "id";         // the user's option that says so
    std::string name;                     // of the environments in sentences
    std::string folder;                   // of the user's own modules; empty: none
    std::string kwargs = "{}";            // what a constructor is given, a JSON object
    std::string vector;                   // make_vec, vmas: one environment of many a worker
    std::string action_mask = "auto";     // the info or part of the observation with the mask; auto; none
    std::vector<std::string> infos;       // that become columns
    std::vector<std::string> leave_out;   // parts of the observation to do without
    std::string groups = "{}";            // of agents: names and patterns, a JSON object
    bool may_leave = true;                // agents, while others go on
    std::string turns = "all";            // of environments in turns: all, mover
    std::string group = {};               // of agents whose actions the first size counts; not for the workers
    std::int64_t max_episode_steps = -1;  // 0: never; -1: as the environment says
    std::uint32_t processes = 0;          // that share the lanes; 0: as the options of workers say
};

// The members of a JSON object, without braces.
std::string json_of(const Making& making);
std::string json_string(std::string_view text);

}  // namespace bridge
