// SPDX-License-Identifier: Apache-2.0
// The search path of plugins.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"

namespace tenon {

struct SearchFolder {
    std::filesystem::path path;
    // Where it was given: "--plugins", "plugins.search", "TENON_PLUGIN_PATH". Empty: the program's own folder. This may
    // be missing, and plugins of the same name in other folders have priority over its plugins.
    std::string source;
    Place place;
};

// The given folders, then those of TENON_PLUGIN_PATH (separated by colons), then ../lib/tenon/plugins relative to the
// folder of the program.
std::vector<SearchFolder> search_folders(std::vector<SearchFolder> given);

// Whether a file is in the program's own folder of plugins.
bool is_shipped(const std::filesystem::path& file);

// The folder of the program.
std::filesystem::path program_folder();

// The file of this program.
std::filesystem::path this_program();

// The same, to start it once more under its own name; if the file has been replaced since, a path to the former one.
std::filesystem::path program_to_start_again();

// The file of another program of ours: in the folder of this one, in the neighbouring bin folder, or in that of the
// installation that TENON_HOME names.
std::optional<std::filesystem::path> find_program(const std::string& name);

// The folder of the program's own modules, plugins and tenon-worker: ../lib/tenon relative to the program's folder or,
// for a program that is not installed, lib/tenon in the folder that TENON_HOME names. A program in lib/tenon, as
// tenon-worker, is in it.
std::filesystem::path installed_folder();

}  // namespace tenon
