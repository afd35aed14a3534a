// SPDX-License-Identifier: Apache-2.0
// Where plugins are looked for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "error/problem.hpp"

namespace tenon {

struct SearchFolder {
    std::filesystem::path path;
    std::string source;  // who names it: "--plugins", "TENON_PLUGIN_PATH"; empty: nobody, it may be missing
    Place place;
};

// The given folders, then those of TENON_PLUGIN_PATH (separated by colons), then ../lib/tenon/plugins beside the folder
// of the program.
std::vector<SearchFolder> search_folders(std::vector<SearchFolder> given);

// Where the program itself stands.
std::filesystem::path program_folder();

// Another program of ours: beside this one, in the bin beside its folder, or in that of an installation that TENON_HOME
// names.
std::optional<std::filesystem::path> find_program(const std::string& name);

// Where the program's own modules and plugins lie: the folder ../lib/tenon seen from the program's, or, for a program
// that stands elsewhere, lib/tenon in the folder that TENON_HOME names.
std::filesystem::path installed_folder();

}  // namespace tenon
