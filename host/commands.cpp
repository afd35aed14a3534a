// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

namespace tenon::host {

const std::vector<Command>& commands() {
    static const std::vector<Command> table = {
        {"run", "train a manifest, or resume a run", run_run},
        {"init", "write the manifest of an algorithm and an env", run_init},
        {"eval", "score a checkpoint of a run", run_eval},
        {"play", "show episodes of a checkpoint, as a video or in the terminal", run_play},
        {"record", "write the frames of a policy to a file, to learn from", run_record},
        {"export", "write a policy as a file for another program", run_export},
        {"serve", "answer observations with a policy's actions, over HTTP or a socket", run_serve},
        {"import", "make a run with the weights of another program", run_import},
        {"data", "show what is in recorded frames or a dataset, or convert it", run_data},
        {"sweep", "vary values of a manifest, and search for the best", run_sweep_file},
        {"compare", "compare groups of runs: scores, intervals, differences, curves", run_compare},
        {"dash", "a live page of runs, for a browser", run_dash},
        {"top", "the same in the terminal, with a key to stop a run", run_top},
        {"validate", "report all problems of a manifest without running it", run_validate},
        {"explain", "show the wiring of a manifest without running it", run_explain},
        {"list", "show all plugins found, and their components", run_list},
        {"inspect", "show all options of a plugin or component without loading it", run_inspect},
        {"check", "test a plugin against the promises of the ABI", run_check},
        {"new", "create a folder with a new plugin", run_new},
        {"doctor", "show what this machine has, what is missing and how to bring it", run_doctor},
        {"completion", "print a script that completes commands and options in a shell", run_completion},
        {"bench", "measure the speed of an env, an objective, a buffer, a run ...", run_bench},
    };
    return table;
}

}  // namespace tenon::host
