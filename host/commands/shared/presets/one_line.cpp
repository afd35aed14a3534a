// SPDX-License-Identifier: Apache-2.0
#include "shared/presets/one_line.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/error/listed.hpp"
#include "config/manifest/document_text.hpp"
#include "config/manifest/key_path.hpp"
#include "config/manifest/manifest.hpp"
#include "config/manifest/options.hpp"
#include "engines/quarantine/gate.hpp"
#include "run/start/setup.hpp"
#include "shared/presets/env_kind.hpp"
#include "shared/presets/named_env.hpp"
#include "shared/presets/preset.hpp"
#include "train/plan/env_lanes.hpp"

namespace tenon {
namespace {

TomlNode node_of(std::string text) {
    return {.value = std::move(text), .place = {}, .key_place = {}};
}

// Whether it changes what the env's tables have. A list that the env's manifest does not have, such as env.transforms,
// is the preset's: what goes into one of its elements comes after the preset.
bool is_of_env(const Override& given, const Document& named) {
    const std::vector<KeyPart> path = read_key_path(given.key.empty() ? given.text : given.key).parts;
    if (path.size() < 2 || (path[0].name != "env" && path[0].name != "plugins" && path[0].name != "isolation")) {
        return false;
    }
    const TomlNode* const table = named.root.find(path[0].name);
    return path.size() == 2 || (table != nullptr && table->table() != nullptr && table->table()->find(path[1].name));
}

// Puts on the overrides that change the env's tables, and returns the others.
std::vector<Override> put_on_env(Document& named, const OneLine& line, Problems& problems) {
    std::vector<Override> out;
    for (const Override& given : line.overrides) {
        if (is_of_env(given, named)) {
            put_on(named, {&given, 1}, problems);
        } else {
            out.push_back(given);
        }
    }
    return out;
}

// The manifest may be written into another folder than the one that the path is relative to. Paths below the folder of
// its file stay relative, so that both can be moved together. `form` is that of the option.
void put_path(TomlNode& node, const std::string& absolute, const std::filesystem::path& file, PathForm form) {
    node.value = absolute;
    if (file.empty()) {
        return;
    }
    Place written;
    written.file = file.string();
    const std::filesystem::path relative =
        std::filesystem::path(absolute).lexically_relative(absolute_path(".", written));
    if (relative.empty() || *relative.begin() == "..") {
        return;
    }
    const bool is_like_name = form == PathForm::kFileOrName && !relative.has_parent_path();
    node.value = (is_like_name ? "." / relative : relative).string();
    node.place = std::move(written);
}

// The manifest will be run without --plugins, so it lists these folders. Folders that the manifest had already come
// after them, as with --plugins.
void put_search(TomlTable& root, const std::vector<SearchFolder>& plugins, const std::filesystem::path& file) {
    if (plugins.empty()) {
        return;
    }
    std::vector<TomlNode> folders;
    for (const SearchFolder& folder : plugins) {
        put_path(folders.emplace_back(), std::filesystem::absolute(folder.path).lexically_normal().string(), file,
                 PathForm::kFile);
    }
    TomlNode* const existing = root.find("plugins");
    TomlNode own{.value = TomlTable{}, .place = {}, .key_place = {}};
    auto* const table = std::get_if<TomlTable>(existing != nullptr ? &existing->value : &own.value);
    TomlNode* const search = table != nullptr ? table->find("search") : nullptr;
    if (table == nullptr || (search != nullptr && search->list() == nullptr)) {
        return;  // the reader of the manifest reports it
    }
    if (search != nullptr) {
        folders.insert(folders.end(), search->list()->begin(), search->list()->end());
    }
    table->put("search", {.value = std::move(folders), .place = {}, .key_place = {}});
    if (existing == nullptr) {
        root.put("plugins", std::move(own));
    }
}

// [env], [plugins] and [isolation] of the run: from the env's manifest, or from its name.
std::optional<Document> named_tables(const OneLine& line, Problems& problems) {
    Document document;
    if (line.env.ends_with(".toml")) {
        std::optional<Document> read = read_manifest(line.env, {}, problems);
        if (!read) {
            return std::nullopt;
        }
        std::erase_if(read->root.entries, [](const TomlEntry& entry) {
            return entry.key != "env" && entry.key != "plugins" && entry.key != "isolation";
        });
        document = *std::move(read);
    } else {
        // A short name is not looked for in folders that --set plugins.search adds.
        const Registry registry = Registry::scan(search_folders(line.plugins), {}, admit);
        problems.insert(problems.end(), registry.problems().begin(), registry.problems().end());
        const Result<NamedEnv> env = find_env(registry, line.env);
        if (!is_done(env, problems)) {
            return std::nullopt;
        }
        TomlTable table;
        table.put("plugin", node_of(env->plugin));
        if (!env->option.empty()) {
            table.put(env->option, node_of(env->value));
        }
        document.root.put("env", TomlNode{.value = std::move(table), .place = {}, .key_place = {}});
    }
    put_search(document.root, line.plugins, line.file);
    return document;
}

TomlTable* env_of(Document& document) {
    TomlNode* const env = document.root.find("env");
    return env == nullptr ? nullptr : std::get_if<TomlTable>(&env->value);
}

void put_paths(TomlTable& env, const std::vector<OptionSchema>& options, const std::filesystem::path& file) {
    for (const OptionSchema& option : options) {
        TomlNode* const node = env.find(option.name);
        const auto* const text = node != nullptr ? std::get_if<std::string>(&node->value) : nullptr;
        if (text == nullptr) {
            continue;
        }
        OptionValue value = *text;
        make_absolute(option, node->place, value);
        if (const std::string& absolute = std::get<std::string>(value); absolute != *text) {
            put_path(*node, absolute, file, option.path);
        }
    }
}

// Opens one lane of the env.
std::optional<EnvKind> open(Document& named, const OneLine& line, Problems& problems) {
    const std::size_t before = problems.size();
    Document document = named;
    if (TomlTable* const env = env_of(document)) {
        env->put("lanes", {.value = std::int64_t{1}, .place = {}, .key_place = {}});
    }
    Manifest manifest = read_env_tables(document, problems);
    const EnvSetup setup = set_up_env(std::move(manifest), line.plugins, 1, problems);
    if (problems.size() > before) {
        return std::nullopt;
    }
    const EnvParts& parts = setup.parts.training;
    const std::vector<std::uint32_t> one_each(std::max<std::size_t>(parts.tasks.size(), 1), 1);
    const Result<Lanes> lanes = make_lanes(parts, {}, one_each, 0, "eval/", setup.host->pool);
    if (!is_done(lanes, problems)) {
        return std::nullopt;
    }
    if (TomlTable* const env = env_of(named)) {
        put_paths(*env, parts.env.schema(), line.file);
    }
    return kind_of(lanes->specs());
}

// The columns for which a preset's text stands; null: the text is an ordinary value.
const std::vector<std::string>* columns_for(const TomlNode& node, const EnvKind& kind) {
    const auto* const text = std::get_if<std::string>(&node.value);
    return text == nullptr            ? nullptr
           : *text == "$observations" ? &kind.columns
           : *text == "$vectors"      ? &kind.vectors
           : *text == "$all"          ? &kind.all
           : *text == "$state"        ? &kind.state
                                      : nullptr;
}

void fill(TomlNode& node, const EnvKind& kind);

// Replaces a text that stands for columns by these columns, as elements of the list.
std::vector<TomlNode> filled(std::vector<TomlNode> list, const EnvKind& kind) {
    std::vector<TomlNode> out;
    for (TomlNode& element : list) {
        if (const std::vector<std::string>* const columns = columns_for(element, kind)) {
            std::ranges::transform(*columns, std::back_inserter(out), node_of);
        } else {
            fill(element, kind);
            out.push_back(std::move(element));
        }
    }
    return out;
}

// Replaces "$group" and the like by the env's values.
void fill(TomlNode& node, const EnvKind& kind) {
    if (auto* const table = std::get_if<TomlTable>(&node.value)) {
        for (TomlEntry& entry : table->entries) {
            fill(entry.node, kind);
        }
    } else if (auto* const list = std::get_if<std::vector<TomlNode>>(&node.value)) {
        node.value = filled(std::move(*list), kind);
    } else if (columns_for(node, kind) != nullptr) {
        node.value = filled({node}, kind);
    } else if (const auto* const text = std::get_if<std::string>(&node.value)) {
        if (*text == "$group") {
            node.value = kind.group;
        } else if (*text == "$layout") {
            node.value = kind.layout;
        } else if (*text == "$observation" && !kind.columns.empty()) {
            node.value = kind.columns.front();
        }
    }
}

// The problem of an env after a manifest: the word behind a --set without a '=' is read as a second argument.
Problem file_with_env(const OneLine& line) {
    const auto has_no_value = [](const Override& given) {
        return given.key.empty() && given.text.find('=') == std::string::npos;
    };
    const auto set = std::ranges::find_if(line.overrides, has_no_value);
    return input_problem(line.algorithm + " is a file, and a manifest is named alone, without '" + line.env + "'", {},
                         set == line.overrides.end() ? "an env is named after an algorithm, as in `tenon run ppo ENV`"
                                                     : "write --set " + set->text + "=" + line.env);
}

Problem unknown_algorithm(const std::string& word, const std::vector<Preset>& presets) {
    const std::vector<std::string> names = algorithms_of(presets);
    return input_problem("there is no algorithm '" + word + "'" + did_you_mean(word, {names.begin(), names.end()}), {},
                         "there are: " + listed(names));
}

Problem without_preset(const OneLine& line, const std::string& env, const EnvKind& kind,
                       const std::vector<Preset>& presets) {
    if (kind.several_groups) {
        return input_problem("'" + line.algorithm + "' has no preset for " + env + ", in which several groups act", {},
                             "write a manifest with a policy and an objective for each group, as docs/groups.md shows");
    }
    std::set<std::string> needs;
    std::vector<Preset> fitting;
    for (const Preset& preset : presets) {
        if (preset.algorithm == line.algorithm) {
            needs.insert(needs_of(preset));
        }
        if (fit_of(preset, kind, env)) {
            fitting.push_back(preset);
        }
    }
    std::string help = "'" + line.algorithm + "' is for ";
    for (const std::string& need : needs) {
        help += (need == *needs.begin() ? "" : "; ") + need;
    }
    const std::vector<std::string> others = algorithms_of(fitting);
    return input_problem("'" + line.algorithm + "' has no preset for " + env + ", which has " + phrase_of(kind), {},
                         help + (others.empty() ? "" : "\nfor this env there are: " + listed(others)));
}

const Preset* best(const std::vector<Preset>& presets, const std::string& algorithm, const EnvKind& kind,
                   const std::string& env) {
    const Preset* out = nullptr;
    int most = -1;
    for (const Preset& preset : presets) {
        const std::optional<int> fit = preset.algorithm == algorithm ? fit_of(preset, kind, env) : std::nullopt;
        if (fit && *fit > most) {
            most = *fit;
            out = &preset;
        }
    }
    return out;
}

// The node that a dotted key addresses; null if there is none.
const TomlNode* at(const TomlTable& root, std::string_view path) {
    const TomlTable* table = &root;
    const TomlNode* node = nullptr;
    std::string above;
    for (const KeyPart& part : read_key_path(path).parts) {
        if (node != nullptr && node->list() != nullptr) {
            const Result<std::size_t> index = element_named(part.name, *node->list(), above, {});
            node = index ? &(*node->list())[*index] : nullptr;
        } else {
            node = table != nullptr ? table->find(part.name) : nullptr;
        }
        if (node == nullptr) {
            return nullptr;
        }
        table = node->table();
        above += (above.empty() ? "" : ".") + part.name;
    }
    return node;
}

void check_asked(Document& document, const Preset& preset, const std::filesystem::path& file, Problems& problems) {
    for (const auto& [key, what] : preset.asks) {
        const bool is_file = key.ends_with(".init");
        auto* const node = const_cast<TomlNode*>(at(document.root, key));
        if (node == nullptr) {
            problems.push_back(
                input_problem("'" + preset.algorithm + "' needs " + what, {},
                              is_file ? "name it: --set " + key + "=FILE" : "give it: --set " + key + "=VALUE"));
        } else if (const auto* const text = std::get_if<std::string>(&node->value); is_file && text != nullptr) {
            put_path(*node, absolute_path(*text, node->place), file, PathForm::kFile);
        }
    }
}

std::string plugin_of(const Document& document) {
    const TomlNode* const plugin = at(document.root, "env.plugin");
    const auto* const text = plugin ? std::get_if<std::string>(&plugin->value) : nullptr;
    return text ? *text : std::string();
}

// "ppo-CartPole-v1": the name of the run, which names its folder.
std::string run_name(const OneLine& line) {
    const std::string env = line.env.ends_with(".toml") ? std::filesystem::path(line.env).stem().string() : line.env;
    const std::size_t slash = env.rfind('/');
    std::string out = line.algorithm + "-" + (slash == std::string::npos ? env : env.substr(slash + 1));
    std::ranges::replace_if(
        out, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.'; }, '_');
    return out;
}

}  // namespace

std::optional<Document> one_line_manifest(const OneLine& line, const std::filesystem::path& presets,
                                          Problems& problems) {
    const std::vector<Preset> known = read_presets(presets, problems, line.algorithm);
    const bool is_known = std::ranges::find(known, line.algorithm, &Preset::algorithm) != known.end();
    std::error_code code;
    if (problems.empty() && !is_known && std::filesystem::is_regular_file(line.algorithm, code)) {
        problems.push_back(file_with_env(line));
        return std::nullopt;
    }
    if (problems.empty() && !is_known) {
        problems.push_back(unknown_algorithm(line.algorithm, read_presets(presets, problems)));
    }
    std::optional<Document> named = named_tables(line, problems);
    if (!named) {
        return std::nullopt;
    }
    const std::vector<Override> others = put_on_env(*named, line, problems);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const std::optional<EnvKind> kind = open(*named, line, problems);
    if (!kind) {
        return std::nullopt;
    }
    const std::string env = plugin_of(*named);
    const Preset* const preset = best(known, line.algorithm, *kind, env);
    if (preset == nullptr) {
        problems.push_back(without_preset(line, env, *kind, read_presets(presets, problems)));
        return std::nullopt;
    }
    Document out = preset->document;
    for (TomlEntry& entry : out.root.entries) {
        fill(entry.node, *kind);
    }
    TomlTable tables;
    tables.put("run", {.value = TomlTable{}, .place = {}, .key_place = {}});
    std::get<TomlTable>(tables.entries.front().node.value).put("name", node_of(run_name(line)));
    merge(tables, TomlTable(named->root));  // first, so that it is written first
    merge(tables, std::move(out.root));
    merge(tables, std::move(named->root));  // has priority
    out.root = std::move(tables);
    put_on(out, others, problems);
    check_asked(out, *preset, line.file, problems);
    return out;
}

std::optional<Problem> env_alone(const std::string& word, const std::vector<SearchFolder>& plugins) {
    const Registry registry = Registry::scan(search_folders(plugins), {}, admit);
    const bool is_env = find_env(registry, word).has_value();
    const std::string meant = is_env ? "" : did_you_mean_env(registry, word);
    if (is_env) {
        return input_problem("'" + word + "' is an env, and needs an algorithm before it", {},
                             "for example `tenon run ppo " + word + "`");
    }
    if (meant.empty()) {
        return std::nullopt;
    }
    return input_problem("'" + word + "' is neither a manifest nor an env" + meant, {},
                         "an env needs an algorithm before it: `tenon run ppo ENV`");
}

std::string one_line_text(const Document& document, const std::string& command) {
    return "# Written by `" + command +
           "`. Keys that are not here have their defaults: `tenon inspect PLUGIN` lists\n" +
           "# those of a component, docs/reference/manifest.md the others.\n\n" + document_text(document.root);
}

std::string algorithms_text(const std::filesystem::path& presets) {
    Problems ignored;
    const std::vector<Preset> known = read_presets(presets, ignored);
    std::string out;
    for (const std::string& name : algorithms_of(known)) {
        const auto first = std::ranges::find(known, name, &Preset::algorithm);
        out += "  " + name + std::string(name.size() < 12 ? 12 - name.size() : 1, ' ') + first->about + "\n";
    }
    return out;
}

}  // namespace tenon
