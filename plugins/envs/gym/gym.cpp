// SPDX-License-Identifier: Apache-2.0
// Gymnasium environments, and all that have their interface or dm_env's, in Python processes (docs/worlds.md).
#include <string>
#include <tuple>

#include "bridge/env.hpp"
#include "bridge/goals.hpp"
#include "bridge/gymnasium.hpp"
#include "bridge/needs.hpp"

namespace gym {

struct Env : bridge::Env, bridge::Gymnasium {
    std::string vector;
    std::string group;

    static constexpr auto options = std::tuple_cat(
        bridge::Gymnasium::options,
        std::tuple{
            tenon::option<&Env::vector>("vector", "", "|make_vec",
                                        "make_vec: a worker has one vector environment in place of many single ones"),
            tenon::option<&Env::group>("group", "", "",
                                       "the name of a group of agents, such as the answers to a prompt: a "
                                       "MultiDiscrete action has a row for each of them, and the info rewards a "
                                       "number"),
        },
        bridge::Env::options);

    void open(tenon::EnvBatch batch) {
        bridge::Making what = making();
        what.vector = vector;
        if (id.starts_with("vmas:")) {  // one world of many environments, whose lanes step together
            what.vector = "vmas";
            what.processes = workers == 0 && envs_per_worker == 0 ? 1 : 0;
        }
        what.group = group;
        start(batch, what);
    }

    tenon::GoalSpec goals() const { return bridge::goals_of(first_worker()); }
    void judge(const tenon::GoalRows& rows) const {
        for (const tenon::Spec& spec : this->spec().observations) {
            if (spec.key == "observation.achieved_goal") {
                bridge::judge(first_worker(), spec, rows);
            }
        }
    }
};

tenon::Needs look() {
    return {bridge::python_with({"numpy", "gymnasium"}, "gym/env, gym_embedded/env")};
}

}  // namespace gym

TENON_PLUGIN("gym", "0.1.0",
             tenon::needing<gym::look>(tenon::env<gym::Env>("env", "a Gymnasium environment in Python processes")));
