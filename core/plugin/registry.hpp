// SPDX-License-Identifier: Apache-2.0
// Which plugins there are and what they offer. Scanning reads notes only; a plugin is loaded when a component of it is.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "error/result.hpp"
#include "plugin/component.hpp"
#include "plugin/load.hpp"
#include "plugin/pin.hpp"
#include "plugin/search_path.hpp"

namespace tenon {

// Asked before the file of a component is mapped into this process; its problem keeps it out.
using LoadingGate = Status (*)(const ComponentInfo& info);

class Registry {
public:
    // Every *.so directly in the folders, in the folders' order, then by name. A file found twice, through a link say,
    // counts once.
    static Registry scan(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins = {},
                         LoadingGate gate = nullptr);

    Registry(Registry&&) = default;
    Registry& operator=(Registry&&) = delete;
    ~Registry() = default;  // calls deinit of what was loaded: all instances must be gone, the host's table must not

    // What is wrong with the request itself: folders that are missing, pins of nothing. Not the bad plugin files.
    [[nodiscard]] const Problems& problems() const { return problems_; }

    // The usable ones and the others, which have a problem.
    [[nodiscard]] const std::vector<std::shared_ptr<const PluginFile>>& files() const { return files_; }

    // "library/component". `place` goes into the problem, and into the component for later ones.
    [[nodiscard]] Result<ComponentInfo> find(std::string_view component, const Place& place = {}) const;

    // The same, and it must be of that kind, because the manifest's [table] wants one.
    [[nodiscard]] Result<ComponentInfo> find(std::string_view component, std::string_view kind, std::string_view table,
                                             const Place& place) const;

    // "library".
    [[nodiscard]] Result<std::shared_ptr<const PluginFile>> find_library(std::string_view library,
                                                                         const Place& place = {}) const;

    // Maps and initialises the library the first time one of its components is asked for, if the gate lets it through.
    Result<LoadedComponent> load(const ComponentInfo& info, const tn_host& host);

private:
    Registry() = default;

    [[nodiscard]] std::string same_id(std::string_view component) const;
    [[nodiscard]] static Problem without_component(const PluginFile& file, const Place& place);
    [[nodiscard]] Problem unknown(std::string_view component, const Place& place) const;
    [[nodiscard]] std::shared_ptr<const PluginFile> file_of(std::string_view library) const;

    std::vector<std::shared_ptr<const PluginFile>> files_;
    Problems problems_;
    std::vector<std::string> folders_;
    std::vector<LoadedPlugin> loaded_;
    LoadingGate gate_ = nullptr;
};

}  // namespace tenon
