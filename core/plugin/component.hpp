// SPDX-License-Identifier: Apache-2.0
// Plugin files as found in the search folders, and the components in them, before and after loading.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "error/problem.hpp"
#include "plugin/note.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {

struct PluginFile {
    std::filesystem::path path;
    std::string library;  // the name in the note, or the file's name where there is no note
    std::optional<Note> note;
    std::optional<Problem> problem;  // why nothing in it can be used
};

struct ComponentInfo {
    std::string name;                          // "classic/CartPole-v1"
    Place place;                               // the manifest's line that asks for it
    std::shared_ptr<const PluginFile> plugin;  // its note is there
    const ComponentNote* note = nullptr;       // inside *plugin
};

// Lives as long as the Registry that loaded it.
struct LoadedComponent {
    ComponentInfo info;
    const tn_component* component = nullptr;
    const tn_host* host = nullptr;
};

}  // namespace tenon
