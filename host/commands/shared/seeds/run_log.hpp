// SPDX-License-Identifier: Apache-2.0
// The log of one run of several: what it and the command that starts it have printed.
#pragma once

#include <filesystem>
#include <ios>
#include <string>

namespace tenon {

struct Printed {
    std::string error;   // the first one of the run
    std::string last;    // line
    bool begun = false;  // on another machine
};

// From this byte on.
Printed read_log(const std::filesystem::path& log, std::streamoff from);

}  // namespace tenon
