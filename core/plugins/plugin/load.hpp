// SPDX-License-Identifier: Apache-2.0
// Loads a plugin: maps the library, checks that its entry matches its note, and initialises it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.hpp"
#include "plugins/plugin/component.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {

// The description of calls before any function of the plugin, where messages otherwise name a function.
inline constexpr std::string_view kLoadingIt = "loading it";

class LoadedPlugin {
public:
    // Only static constructors of the plugin run before its entry has been checked. place: the manifest's line that
    // refers to it.
    static Result<LoadedPlugin> load(const std::shared_ptr<const PluginFile>& file, const tn_host& host,
                                     const Place& place = {});

    LoadedPlugin(LoadedPlugin&& other) noexcept;
    LoadedPlugin& operator=(LoadedPlugin&&) = delete;
    ~LoadedPlugin();  // calls deinit; the library stays mapped

    // A component of the note. Never null: load has checked all of them.
    [[nodiscard]] const tn_component* component(const std::string& id) const {
        return entry_->get_component(id.c_str());
    }
    [[nodiscard]] const PluginFile& file() const { return *file_; }

private:
    LoadedPlugin(std::shared_ptr<const PluginFile> file, const tn_plugin_entry* entry);

    std::shared_ptr<const PluginFile> file_;
    const tn_plugin_entry* entry_;  // null after a move
};

}  // namespace tenon
