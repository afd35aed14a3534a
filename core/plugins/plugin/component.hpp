// SPDX-License-Identifier: Apache-2.0
// Plugin files in the search folders and their components, before and after loading.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "config/option/schema.hpp"
#include "plugins/plugin/note.hpp"
#include "tenon/abi/plugin.h"
#include "tenon/abi/random.h"

namespace tenon {

// "shipped:awr/awr" is a component of the program's own folder, even if another folder has a plugin of that name.
inline constexpr std::string_view kShipped = "shipped:";

struct PluginFile {
    std::filesystem::path path;
    // The name in the note, or the file's name if there is no note. It begins with kShipped for a shipped plugin whose
    // name a plugin of another folder has.
    std::string library;
    std::optional<Note> note;
    std::optional<Problem> problem = {};     // why nothing in it can be used
    bool shipped = false;                    // in the program's own folder
    std::filesystem::path in_place_of = {};  // the shipped plugin of the same name, which it takes priority over
    std::string unread = {};                 // the note's text, until its options are read

    [[nodiscard]] bool answers_to(std::string_view name) const {
        return name == library || (shipped && name.starts_with(kShipped) && name.substr(kShipped.size()) == library);
    }

    // Reads the options that an outline lacks, in place. What is wrong with them is then the file's problem.
    void read_options();
};

struct ComponentInfo {
    std::string name;                          // "classic/CartPole-v1"
    Place place;                               // the manifest's line that refers to it
    std::shared_ptr<const PluginFile> plugin;  // its note could be read
    const ComponentNote* note = nullptr;       // inside *plugin
};

class Instance;

// Lives as long as the Registry that loaded it.
struct LoadedComponent {
    ComponentInfo info;
    const tn_component* component = nullptr;  // null if it runs in another process
    const tn_host* host = nullptr;
    // For a component in another process (isolation/): whether it has an interface, and how to make an instance.
    std::function<bool(const char* id)> offers_apart = {};
    std::function<Result<Instance>(const std::vector<OptionValue>& options, std::uint32_t lanes, tn_key key,
                                   const Place& place)>
        create_apart = {};

    [[nodiscard]] bool offers(const char* id) const {
        return component != nullptr ? component->get_interface(id) != nullptr : offers_apart(id);
    }
};

}  // namespace tenon
