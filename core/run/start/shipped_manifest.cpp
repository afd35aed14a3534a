// SPDX-License-Identifier: Apache-2.0
#include "run/start/shipped_manifest.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <tuple>
#include <variant>

#include "config/manifest/document.hpp"
#include "plugins/plugin/component.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

// "CartPole-v1" of "classic/CartPole-v1" and of "package:CartPole-v1".
std::string last_part(const std::string& name) {
    return name.substr(name.find_last_of("/:") + 1);
}

std::string plain(const std::string& plugin) {
    return plugin.starts_with(kShipped) ? plugin.substr(kShipped.size()) : plugin;
}

// The text; empty if it is missing or no text.
std::string text_at(const TomlTable& root, const char* table, const std::string& key) {
    const TomlNode* const at = root.find(table);
    const TomlNode* const found = at != nullptr && at->table() != nullptr ? at->table()->find(key) : nullptr;
    const auto* const text = found != nullptr ? std::get_if<std::string>(&found->value) : nullptr;
    return text != nullptr ? plain(*text) : std::string();
}

std::string value_of(const Part& part, const std::string& option) {
    const auto at = std::ranges::find(part.schema(), option, &OptionSchema::name);
    const auto* const text =
        at == part.schema().end()
            ? nullptr
            : std::get_if<std::string>(&part.values[static_cast<std::size_t>(at - part.schema().begin())]);
    return text != nullptr ? *text : std::string();
}

}  // namespace

fs::path installed_manifests() {
    return (installed_folder() / ".." / ".." / "share" / "tenon" / "manifests").lexically_normal();
}

fs::path installed_manifest(const fs::path& name) {
    const fs::path path = installed_manifests() / name.filename();
    std::error_code code;
    return name.extension() == ".toml" && fs::is_regular_file(path, code) ? path : fs::path();
}

std::string asked_text(const ComponentNote& note) {
    std::string out;
    for (const OptionSchema& option : note.options) {
        if (option.standard || option.optional) {
            continue;
        }
        if (!out.empty() || option.type != OptionType::kString || option.path == PathForm::kFile) {
            return {};
        }
        out = option.name;
    }
    return out;
}

std::string shipped_manifest_for(const Part& env, const std::string& objective, const std::string& own,
                                 const fs::path& folder) {
    const std::string plugin = plain(env.info.name);
    const std::string option = asked_text(*env.info.note);
    const std::string id = option.empty() ? plugin : value_of(env, option);
    using Rank = std::tuple<bool, bool, std::size_t, std::string>;  // false comes first
    std::optional<Rank> best;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        Problems ignored;
        if (at->path().extension() != ".toml" || at->path().stem() == own) {
            continue;
        }
        const std::optional<Document> document = read_manifest(at->path().string(), {}, ignored);
        if (!document) {
            continue;
        }
        const std::string its_plugin = text_at(document->root, "env", "plugin");
        const bool same = its_plugin == plugin;
        const std::string its_id = same && !option.empty() ? text_at(document->root, "env", option) : its_plugin;
        if (its_id != id && (same || last_part(its_id) != last_part(id))) {
            continue;
        }
        const std::string name = at->path().filename().string();
        const Rank rank(!same, text_at(document->root, "objective", "plugin") != plain(objective), name.size(), name);
        best = best ? std::min(*best, rank) : rank;
    }
    return best ? std::get<std::string>(*best) : std::string();
}

}  // namespace tenon
