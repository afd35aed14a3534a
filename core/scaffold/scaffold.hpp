// SPDX-License-Identifier: Apache-2.0
// A new plugin out of one of the SDK's templates: the folder that `tenon new` makes. A template is a folder KIND, or
// KIND_c in C, with three files: CMakeLists.txt, manifest.toml and a source called as the plugin is. It is a plugin as
// it stands; the new one has another name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "error/result.hpp"

namespace tenon {

struct ScaffoldRequest {
    std::string kind;                 // "env"
    std::string name;                 // "hill_climb"
    std::string language;             // "c", "c++"; empty: c++
    std::filesystem::path folder;     // to be made
    std::filesystem::path templates;  // where they are
};

struct Scaffold {
    std::filesystem::path folder;
    std::vector<std::string> files;  // in it, by name
};

// Where the templates are installed: share/tenon/templates beside lib/tenon.
std::filesystem::path installed_templates();

Result<Scaffold> make_scaffold(const ScaffoldRequest& request);

}  // namespace tenon
