// SPDX-License-Identifier: Apache-2.0
// Which of the things that commands and plugins can use this machine has, which are missing, and how to install them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "commands/doctor/needs.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct Diagnosis {
    std::string level;          // of instructions, which TENON_LEVEL may limit
    std::string machine_level;  // the highest one of this machine
    unsigned cores = 0;         // that this process may use
    std::uint64_t memory = 0;   // in bytes
    struct Folder {
        std::string path;
        std::string source;  // as in SearchFolder
        std::size_t plugins = 0;
    };
    std::vector<Folder> folders;     // of plugins, in the order of the search
    std::vector<MachinePart> parts;  // the program's own, then those of plugins
    Problems problems;               // folders that are missing, and plugins that cannot be loaded
};

// Maps the host's modules and every plugin; a separate process first loads files that are new to this host.
Diagnosis diagnose(const std::vector<SearchFolder>& folders);

}  // namespace tenon
