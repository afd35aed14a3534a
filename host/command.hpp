// SPDX-License-Identifier: Apache-2.0
// The commands of the program: each is a folder of host/commands, found by the build (cmake/command.cmake).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::host {

using Arguments = std::vector<std::string>;  // the words after the command's name

struct Command {
    std::string_view name;
    std::string_view group;  // commands that help shows together
    std::string_view summary;
    int (*run)(const Arguments& arguments);  // returns the exit code; null: this build leaves it out (cmake/only.cmake)
};

// All commands, sorted by group and name.
const std::vector<Command>& commands();

}  // namespace tenon::host
