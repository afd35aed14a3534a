// SPDX-License-Identifier: Apache-2.0
#include "shared/seeds/launch_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace tenon::host {
namespace {

constexpr std::array kNames{"jobs", "via", "hosts"};

}  // namespace

void add_launch_options(CommandLine& line, const char* when) {
    const std::string begin(when);
    line.options()("jobs", integer_value("N"),
                   (begin + "runs at a time, each in a process of its own; the default is 1").c_str())(
        "via", text_value("COMMAND"),
        (begin +
         "start each run by this command, such as \"ssh {host}\" or \"srun -N1 -n1 --exact\"; all machines must "
         "see the same files")
            .c_str())(
        "hosts", text_value("LIST"),
        (begin + "the machines that take the place of {host} in --via, and their runs at a time: node7:4,node8:4")
            .c_str());
}

bool has_launch_options(const CommandLine& line) {
    return std::ranges::any_of(kNames, [&](const char* name) { return line.has(name); });
}

Result<Machines> machines_of(const CommandLine& line) {
    const std::int64_t jobs = line.integer("jobs").value_or(1);
    if (jobs < 1 || jobs > 1024) {
        return input_problem("--jobs must be from 1 to 1024, but is " + std::to_string(jobs));
    }
    if (line.has("jobs") && line.has("hosts")) {
        return input_problem("--hosts says how many runs each machine makes at a time, so it excludes --jobs");
    }
    return read_machines(line.text("via"), line.text("hosts"), static_cast<std::size_t>(jobs));
}

}  // namespace tenon::host
