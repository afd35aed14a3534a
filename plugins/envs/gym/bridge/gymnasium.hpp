// SPDX-License-Identifier: Apache-2.0
// The options of an env that names an environment of Gymnasium, or one with its interface.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "making.hpp"
#include "tenon/env.hpp"

namespace bridge {

struct Gymnasium {
    std::string id;
    tenon::FilePath folder;
    tenon::Table kwargs;
    std::int64_t step_limit;
    std::string action_mask;
    std::vector<std::string> infos;
    std::vector<std::string> leave_out;
    tenon::Table groups;
    bool may_leave;
    std::string turns;

    static constexpr auto options = std::tuple{
        tenon::required<&Gymnasium::id>(
            "id", "", "CartPole-v1, package:Id-v0, module:Class of your own, pettingzoo:module, or vmas:scenario"),
        tenon::option<&Gymnasium::kwargs>("kwargs", "what the environment's constructor is given"),
        tenon::option<&Gymnasium::folder>("folder", ".",
                                          "where modules of your own are; by default in the folder of the manifest"),
        tenon::option<&Gymnasium::step_limit>("max_episode_steps", -1, "[-1,inf)",
                                              "an episode is truncated then; 0: never; -1: as the environment says"),
        tenon::option<&Gymnasium::action_mask>("action_mask", "auto", "",
                                               "the info, or the key of the observation, that says which actions are "
                                               "allowed; auto: action_mask, if there is one; none"),
        tenon::option<&Gymnasium::infos>("infos", {}, "", "infos that become columns info.NAME"),
        tenon::option<&Gymnasium::leave_out>("leave_out", {}, "", "parts of the observation to do without"),
        tenon::option<&Gymnasium::groups>("groups",
                                          "of several agents: for each group the names of its agents, or patterns such "
                                          "as agent_*"),
        tenon::option<&Gymnasium::may_leave>("may_leave", true, "",
                                             "whether agents may come and go while others go on; false leaves out the "
                                             "columns that say so"),
        tenon::option<&Gymnasium::turns>("turns", "all", "all|mover",
                                         "of agents that act in turns: all are agents of a group, or one policy acts "
                                         "for whoever moves"),
    };

    [[nodiscard]] Making making() const {
        return {.id = id,
                .id_option = "id",
                .name = id,
                .folder = folder.path,
                .kwargs = kwargs.json,
                .vector = "",
                .action_mask = action_mask,
                .infos = infos,
                .leave_out = leave_out,
                .groups = groups.json,
                .may_leave = may_leave,
                .turns = turns,
                .max_episode_steps = step_limit};
    }
};

}  // namespace bridge
