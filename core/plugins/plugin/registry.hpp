// SPDX-License-Identifier: Apache-2.0
// The available plugins and their components. Scanning only reads notes, and options only of what is found; a plugin is
// loaded when one of its components is. For one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/load.hpp"
#include "plugins/plugin/pin.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

// Called before a component's file is mapped into this process; a problem prevents that.
using LoadingGate = Status (*)(const ComponentInfo& info);

struct IsolationRules;  // plugins/plugin/apart.hpp

// Loads a component whose code never runs in this process. Instances have processes of their own. For envs, transforms
// and policies that are procedures; offers() of the result tells which component has a graph, which the host builds.
using LoadApart = Result<LoadedComponent> (*)(const ComponentInfo& info, const IsolationRules& rules,
                                              const tn_host& host);

class Registry {
public:
    // Every *.so directly in the folders, by folder and then by name. A file that is found twice, for example through a
    // link, counts once.
    static Registry scan(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins = {},
                         LoadingGate gate = nullptr);

    Registry(Registry&&) = default;
    Registry& operator=(Registry&&) = delete;
    ~Registry() = default;  // calls deinit: no instance may exist any more, but the host's table must

    // Problems of the request itself: missing folders, pins without a file. Not those of bad plugin files.
    [[nodiscard]] const Problems& problems() const { return problems_; }

    // The usable files and the others, which have a problem. Outlines have no options unless find() has read them.
    [[nodiscard]] std::vector<std::shared_ptr<const PluginFile>> files() const;
    [[nodiscard]] std::vector<std::shared_ptr<const PluginFile>> outlines() const {
        return {files_.begin(), files_.end()};
    }

    // The folders that were searched, for messages.
    [[nodiscard]] const std::vector<std::string>& folders() const { return folders_; }

    // "library/component", or "shipped:library/component". `place` is for this problem, and for later problems of the
    // component. A component that has priority over a shipped one of the same name is logged, once in a process.
    [[nodiscard]] Result<ComponentInfo> find(std::string_view component, const Place& place = {}) const;

    // The same, and the component must have that kind, which the manifest's [table] requires.
    [[nodiscard]] Result<ComponentInfo> find(std::string_view component, std::string_view kind, std::string_view table,
                                             const Place& place) const;

    // The plugin with this name, "library".
    [[nodiscard]] Result<std::shared_ptr<const PluginFile>> find_library(std::string_view library,
                                                                         const Place& place = {}) const;

    // Maps and initialises the library when one of its components is first needed, if the gate permits it.
    Result<LoadedComponent> load(const ComponentInfo& info, const tn_host& host);

    // The same in another process, by what is given here.
    void load_apart_by(LoadApart apart) { apart_ = apart; }
    Result<LoadedComponent> load_apart(const ComponentInfo& info, const IsolationRules& rules, const tn_host& host);

private:
    Registry() = default;

    // An empty kind stands for all.
    [[nodiscard]] Result<ComponentInfo> find_of_kind(std::string_view component, std::string_view kind,
                                                     const Place& place) const;
    [[nodiscard]] std::string same_id(std::string_view component, std::string_view kind) const;
    [[nodiscard]] static Problem without_component(const PluginFile& file, const Place& place);
    [[nodiscard]] Problem unknown(std::string_view component, std::string_view kind, const Place& place) const;
    [[nodiscard]] std::shared_ptr<PluginFile> file_of(std::string_view library) const;

    std::vector<std::shared_ptr<PluginFile>> files_;
    Problems problems_;
    std::vector<std::string> folders_;
    std::vector<LoadedPlugin> loaded_;
    LoadingGate gate_ = nullptr;
    LoadApart apart_ = nullptr;
};

}  // namespace tenon
