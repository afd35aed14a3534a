// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

namespace tenon::host {

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {
        {"run", "train what a manifest wires, or go on with a run", run_run},
        {"eval", "score a checkpoint of a run", run_eval},
        {"play", "show episodes of a checkpoint, as a video or in the terminal", run_play},
        {"record", "write what a policy does to a file, to learn from", run_record},
        {"validate", "wire a manifest and report every problem, without running it", run_validate},
        {"explain", "show what a manifest wires, without running it", run_explain},
        {"list", "show the plugins that are found and what they offer", run_list},
        {"inspect", "show all about a plugin or component without running it", run_inspect},
        {"check", "run a plugin against what the ABI promises", run_check},
        {"new", "make a folder with a plugin to begin with", run_new},
        {"bench", "measure how long an env, an objective, an estimator or a run takes", run_bench},
    };
    return table;
}

}  // namespace tenon::host
