// SPDX-License-Identifier: Apache-2.0
// Brings a plugin to life: maps the library, checks that its entry is what its note promised, and initialises it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "error/result.hpp"
#include "plugin/component.hpp"
#include "tenon/abi/plugin.h"

namespace tenon {

// What is done with a plugin before any of its functions is called, where the name of a function stands otherwise.
inline constexpr std::string_view kLoadingIt = "loading it";

class LoadedPlugin {
public:
    // Nothing of the plugin but its static constructors runs before its entry has been found to be sound. place: of the
    // manifest's line that asks for it.
    static Result<LoadedPlugin> load(const std::shared_ptr<const PluginFile>& file, const tn_host& host,
                                     const Place& place = {});

    LoadedPlugin(LoadedPlugin&& other) noexcept;
    LoadedPlugin& operator=(LoadedPlugin&&) = delete;
    ~LoadedPlugin();  // deinit; the library stays mapped

    // One of the note's components. Never null: load has looked at all of them.
    [[nodiscard]] const tn_component* component(const std::string& id) const {
        return entry_->get_component(id.c_str());
    }
    [[nodiscard]] const PluginFile& file() const { return *file_; }

private:
    LoadedPlugin(std::shared_ptr<const PluginFile> file, const tn_plugin_entry* entry);

    std::shared_ptr<const PluginFile> file_;
    const tn_plugin_entry* entry_;  // null in what was moved from
};

}  // namespace tenon
