// SPDX-License-Identifier: Apache-2.0
#include "plugins/plugin/registry.hpp"

#include <cstddef>
#include <filesystem>
#include <utility>

#include "base/data/mapped.hpp"
#include "base/error/listed.hpp"
#include "base/log/log.hpp"
#include "plugins/plugin/scan.hpp"

namespace tenon {
namespace {

std::string with_article(std::string_view noun) {
    const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + std::string(noun);
}

// Logs the priority once, however often the plugin is found.
void tell_priority(const PluginFile& file) {
    if (!file.in_place_of.empty()) {
        log_once(Level::kInfo, "the plugin '" + file.library + "' is " + file.path.string() + "; the shipped one, " +
                                   file.in_place_of.string() + ", is named '" + std::string(kShipped) + file.library +
                                   "'");
    }
}

// "; --plugins build searches build, which has mine.so": a plugin that nothing searches, in the current folder, the
// manifest's, or a `build` in one of these; or an empty string.
std::string unsearched(std::string_view library, const Place& place) {
    namespace fs = std::filesystem;
    const std::string name = std::string(library) + ".so";
    for (const fs::path& near : {fs::path(), fs::path(place.file).parent_path()}) {
        for (const fs::path& folder : {near, near / "build"}) {
            if (std::error_code code; fs::is_regular_file(folder / name, code)) {
                const std::string at = folder.empty() ? "." : folder.string();
                return "; --plugins " + at + " searches " + at + ", which has " + name;
            }
        }
    }
    return {};
}

bool is_of(const ComponentNote& note, std::string_view kind) {
    return kind.empty() || note.kind == kind;
}

}  // namespace

Registry Registry::scan(const std::vector<SearchFolder>& folders, const std::vector<Pin>& pins, LoadingGate gate) {
    Registry registry;
    registry.gate_ = gate;
    Scan scan = scan_folders(folders, pins);
    registry.problems_ = std::move(scan.problems);
    for (PluginFile& file : scan.files) {
        registry.files_.push_back(std::make_shared<PluginFile>(std::move(file)));
    }
    for (const SearchFolder& folder : folders) {
        registry.folders_.push_back(folder.path.string());
    }
    return registry;
}

std::vector<std::shared_ptr<const PluginFile>> Registry::files() const {
    for (const auto& file : files_) {
        file->read_options();
    }
    return outlines();
}

std::shared_ptr<PluginFile> Registry::file_of(std::string_view library) const {
    for (const auto& file : files_) {
        if (!file->problem && file->answers_to(library)) {
            return file;
        }
    }
    for (const auto& file : files_) {  // those that cannot be used say why; one may have another name than its note
        if (file->problem && (file->answers_to(library) || file->path.stem() == library)) {
            return file;
        }
    }
    return nullptr;
}

// "; did you mean 'classic/MountainCar-v0' or 'classic_c/MountainCar-v0'?": the components with that id, or those
// nearest to the name if any is near, or an empty string.
std::string Registry::same_id(std::string_view component, std::string_view kind) const {
    const std::string_view id = component.substr(component.find('/') + 1);
    std::vector<std::string> names;
    for (const auto& file : files_) {
        for (std::size_t i = 0; !file->problem && i < file->note->components.size(); ++i) {
            if (file->note->components[i].id == id && is_of(file->note->components[i], kind)) {
                names.push_back(file->library + "/" + std::string(id));
            }
        }
    }
    std::string near = did_you_mean(component, {names.begin(), names.end()});
    if (!near.empty() || names.empty()) {
        return near;
    }
    std::string listed;
    for (const std::string& name : names) {
        listed += (listed.empty() ? "'" : " or '") + name + "'";
    }
    return "; did you mean " + listed + "?";
}

Problem Registry::unknown(std::string_view component, std::string_view kind, const Place& place) const {
    std::vector<std::string> names;
    for (const auto& file : files_) {
        for (std::size_t i = 0; !file->problem && i < file->note->components.size(); ++i) {
            if (is_of(file->note->components[i], kind)) {
                names.push_back(file->library + "/" + file->note->components[i].id);
            }
        }
    }
    const std::string same = same_id(component, kind);
    const std::string hint = same.empty() ? did_you_mean(component, {names.begin(), names.end()}) : same;
    const std::string form =
        component.find('/') == std::string_view::npos ? "components are named 'library/component'; " : "";
    return input_problem("no component '" + std::string(component) + "'" + hint, place,
                         form + "`tenon list` shows all components; searched: " + listed(folders_) +
                             unsearched(component.substr(0, component.find('/')), place));
}

Problem Registry::without_component(const PluginFile& file, const Place& place) {
    const auto names = mapped<std::string>(file.note->components,
                                           [&](const ComponentNote& note) { return file.library + "/" + note.id; });
    return input_problem("'" + file.library + "' is a plugin; name one of its components", place,
                         "it has: " + listed(names));
}

Result<std::shared_ptr<const PluginFile>> Registry::find_library(std::string_view library, const Place& place) const {
    const std::shared_ptr<PluginFile> file = file_of(library);
    if (file == nullptr) {
        const auto names =
            mapped<std::string_view>(files_, [](const auto& other) -> std::string_view { return other->library; });
        const std::string near = did_you_mean(library, names);
        return input_problem(
            "no plugin '" + std::string(library) + "'" + (near.empty() ? same_id(library, "") : near), place,
            "`tenon list` shows all components; searched: " + listed(folders_) + unsearched(library, place));
    }
    file->read_options();
    if (file->problem) {
        Problem problem = *file->problem;
        problem.place = problem.place.file.empty() ? place : problem.place;
        return problem;
    }
    tell_priority(*file);
    return std::shared_ptr<const PluginFile>(file);
}

Result<ComponentInfo> Registry::find(std::string_view component, const Place& place) const {
    return find_of_kind(component, "", place);
}

Result<ComponentInfo> Registry::find_of_kind(std::string_view component, std::string_view kind,
                                             const Place& place) const {
    const std::size_t slash = component.find('/');
    const std::string_view library = component.substr(0, slash);
    const std::string_view id = slash == std::string_view::npos ? "" : component.substr(slash + 1);
    if (file_of(library) == nullptr) {
        return unknown(component, kind, place);
    }
    std::shared_ptr<const PluginFile> file = TENON_TRY(find_library(library, place));
    if (id.empty()) {
        return without_component(*file, place);
    }
    std::vector<std::string> ids;
    std::vector<std::string_view> fitting;
    for (const ComponentNote& note : file->note->components) {
        if (note.id == id) {
            return ComponentInfo{std::string(component), place, file, &note};
        }
        ids.push_back(note.id);
        if (is_of(note, kind)) {
            fitting.emplace_back(note.id);
        }
    }
    const std::string near = did_you_mean(id, fitting);
    return input_problem("the plugin '" + std::string(library) + "' has no component '" + std::string(id) + "'" +
                             (near.empty() ? same_id(component, kind) : near),
                         place, "it has: " + listed(ids));
}

Result<ComponentInfo> Registry::find(std::string_view component, std::string_view kind, std::string_view table,
                                     const Place& place) const {
    Result<ComponentInfo> info = find_of_kind(component, kind, place);
    if (info && info->note->kind != kind) {
        return input_problem("[" + std::string(table) + "] needs " + with_article(kind) + ", but " + info->name +
                                 " is " + with_article(info->note->kind),
                             place);
    }
    return info;
}

Result<LoadedComponent> Registry::load(const ComponentInfo& info, const tn_host& host) {
    for (const LoadedPlugin& plugin : loaded_) {
        if (&plugin.file() == info.plugin.get()) {
            return LoadedComponent{info, plugin.component(info.note->id), &host};
        }
    }
    tell_priority(*info.plugin);  // formats of datasets are loaded without being named
    TENON_TRY(gate_ != nullptr ? gate_(info) : Status());
    Result<LoadedPlugin> plugin = LoadedPlugin::load(info.plugin, host, info.place);
    if (!plugin) {
        plugin.error().place = info.place;
        return plugin.error();
    }
    loaded_.push_back(std::move(*plugin));
    return LoadedComponent{info, loaded_.back().component(info.note->id), &host};
}

Result<LoadedComponent> Registry::load_apart(const ComponentInfo& info, const IsolationRules& rules,
                                             const tn_host& host) {
    if (apart_ == nullptr) {
        return environment_problem("this program runs no plugins in processes of their own", info.place);
    }
    return apart_(info, rules, host);
}

}  // namespace tenon
