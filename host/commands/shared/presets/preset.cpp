// SPDX-License-Identifier: Apache-2.0
#include "shared/presets/preset.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error/listed.hpp"
#include "plugins/plugin/component.hpp"
#include "run/start/shipped_manifest.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

std::optional<std::vector<std::string>> texts_of(const TomlNode& node) {
    if (const auto* text = std::get_if<std::string>(&node.value)) {
        return std::vector{*text};
    }
    std::vector<std::string> out;
    for (const TomlNode& element : node.list() ? *node.list() : std::vector<TomlNode>()) {
        if (const auto* text = std::get_if<std::string>(&element.value)) {
            out.push_back(*text);
        }
    }
    return node.list() && out.size() == node.list()->size() ? std::optional(std::move(out)) : std::nullopt;
}

// Whether the value has the type of the key.
bool read_key(const std::string& key, const TomlNode& node, Preset& out) {
    const auto* const text = std::get_if<std::string>(&node.value);
    const auto* const flag = std::get_if<bool>(&node.value);
    for (const auto& [name, to] : {std::pair{"algorithm", &out.algorithm}, {"about", &out.about}, {"env", &out.env}}) {
        if (key == name && text) {
            *to = *text;
            return true;
        }
    }
    for (const auto& [name, to] : {std::pair{"observations", &out.observations}, {"actions", &out.actions}}) {
        if (std::optional<std::vector<std::string>> texts = texts_of(node); key == name && texts) {
            *to = *std::move(texts);
            return true;
        }
    }
    if (key == "bounded" && flag) {
        out.bounded = *flag;
        return true;
    }
    if (key == "group" && flag) {
        out.group = *flag;
        return true;
    }
    if (key != "asks" || node.table() == nullptr) {
        return false;
    }
    for (const TomlEntry& entry : node.table()->entries) {
        const auto* const what = std::get_if<std::string>(&entry.node.value);
        if (!what) {
            return false;
        }
        out.asks.emplace_back(entry.key, *what);
    }
    return true;
}

std::optional<Preset> read_preset(const fs::path& file, Problems& problems) {
    std::optional<Document> document = read_manifest(file.string(), {}, problems);
    if (!document) {
        return std::nullopt;
    }
    const TomlNode* const own = document->root.find("preset");
    if (own == nullptr || own->table() == nullptr) {
        problems.push_back(input_problem("a preset needs a table [preset]", document->place));
        return std::nullopt;
    }
    Preset out;
    for (const TomlEntry& entry : own->table()->entries) {
        if (!read_key(entry.key, entry.node, out)) {
            problems.push_back(input_problem("preset." + entry.key + " is not a key of presets, or has another type",
                                             entry.node.place));
        }
    }
    if (out.algorithm.empty()) {
        problems.push_back(input_problem("preset.algorithm must be given", own->place));
    }
    std::erase_if(document->root.entries, [](const TomlEntry& entry) { return entry.key == "preset"; });
    out.document = *std::move(document);
    return out;
}

// Counts a need if the env fulfils it. False: it does not.
bool meets(const std::vector<std::string>& wanted, const std::string& given, int& count) {
    count += wanted.empty() ? 0 : 1;
    return wanted.empty() || std::ranges::find(wanted, given) != wanted.end();
}

}  // namespace

fs::path installed_presets() {
    return installed_manifests() / "presets";
}

std::vector<Preset> read_presets(const fs::path& folder, Problems& problems, std::string_view algorithm) {
    std::set<fs::path> files;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        if (at->path().extension() == ".toml" && at->path().filename().string().starts_with(algorithm)) {
            files.insert(at->path());
        }
    }
    if (code) {
        problems.push_back(
            environment_problem("the presets in " + folder.string() + " cannot be read: " + code.message()));
    }
    std::vector<Preset> out;
    for (const fs::path& file : files) {
        if (std::optional<Preset> preset = read_preset(file, problems)) {
            out.push_back(*std::move(preset));
        }
    }
    return out;
}

std::vector<std::string> algorithms_of(const std::vector<Preset>& presets) {
    std::set<std::string> names;
    for (const Preset& preset : presets) {
        names.insert(preset.algorithm);
    }
    return {names.begin(), names.end()};
}

std::optional<int> fit_of(const Preset& preset, const EnvKind& kind, const std::string& env) {
    int count = 0;
    if (preset.group == kind.group.empty() || !meets(preset.observations, kind.observations, count) ||
        !meets(preset.actions, kind.actions, count)) {
        return std::nullopt;
    }
    if (preset.bounded) {
        if (*preset.bounded != kind.bounded) {
            return std::nullopt;
        }
        ++count;
    }
    if (!preset.env.empty()) {
        const std::string plain = env.starts_with(kShipped) ? env.substr(kShipped.size()) : env;
        if (::fnmatch(preset.env.c_str(), plain.c_str(), 0) != 0) {
            return std::nullopt;
        }
        count += 4;  // a pattern of names is more specific than all other keys together
    }
    return count;
}

std::string needs_of(const Preset& preset) {
    const auto either = [](const std::vector<std::string>& words) {
        std::string out;
        for (const std::string& word : words) {
            out += (out.empty() ? "" : " or ") + word;
        }
        return words.empty() ? "any" : out;
    };
    return either(preset.observations) + " observations with " + either(preset.actions) + " actions" +
           (preset.group ? " of several agents" : "") + (preset.env.empty() ? "" : " of " + preset.env);
}

}  // namespace tenon
