// SPDX-License-Identifier: Apache-2.0
// Gymnasium environments, and all that have their interface or dm_env's, in Python processes (docs/worlds.md).
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "bridge/env.hpp"

namespace gym {

struct Env : bridge::Env {
    std::string id;
    tenon::FilePath folder;
    tenon::Table kwargs;
    std::int64_t step_limit;
    std::string vector;
    std::string action_mask;
    std::vector<std::string> infos;
    std::vector<std::string> leave_out;

    static constexpr auto options = std::tuple_cat(
        std::tuple{
            tenon::required<&Env::id>("id", "", "CartPole-v1, package:Id-v0, or module:Class of your own"),
            tenon::option<&Env::kwargs>("kwargs", "what the environment's constructor is given"),
            tenon::option<&Env::folder>("folder", ".", "where modules of your own are; by default beside the manifest"),
            tenon::option<&Env::step_limit>("max_episode_steps", -1, "[-1,inf)",
                                            "an episode is truncated then; 0: never; -1: as the environment says"),
            tenon::option<&Env::vector>("vector", "", "|make_vec",
                                        "make_vec: a worker has one vector environment in place of many single ones"),
            tenon::option<&Env::action_mask>("action_mask", "auto", "",
                                             "the info, or the key of the observation, that says which actions are "
                                             "allowed; auto: action_mask, if there is one; none"),
            tenon::option<&Env::infos>("infos", {}, "", "infos that become columns info.NAME"),
            tenon::option<&Env::leave_out>("leave_out", {}, "", "parts of the observation to do without"),
        },
        bridge::Env::options);

    void open(tenon::EnvBatch batch) {
        start(batch, {.id = id,
                      .name = id,
                      .folder = folder.path,
                      .kwargs = kwargs.json,
                      .vector = vector,
                      .action_mask = action_mask,
                      .infos = infos,
                      .leave_out = leave_out,
                      .max_episode_steps = step_limit});
    }
};

}  // namespace gym

TENON_PLUGIN("gym", "0.1.0", tenon::env<gym::Env>("env", "a Gymnasium environment in Python processes"));
