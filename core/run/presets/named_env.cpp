// SPDX-License-Identifier: Apache-2.0
#include "run/presets/named_env.hpp"

#include <string_view>
#include <vector>

#include "base/error/listed.hpp"

namespace tenon {
namespace {

struct EnvNote {
    std::string name;
    const ComponentNote* note = nullptr;
};

// An empty library stands for all whose names no other plugin has.
std::vector<EnvNote> envs_of(const Registry& registry, std::string_view library) {
    std::vector<EnvNote> out;
    for (const auto& file : registry.files()) {
        const bool meant = library.empty() ? !file->library.starts_with(kShipped) : file->answers_to(library);
        if (file->problem || !meant) {
            continue;
        }
        const std::string name = library.empty() ? file->library : std::string(library);
        for (const ComponentNote& note : file->note->components) {
            if (note.kind == "env") {
                out.push_back({name + "/" + note.id, &note});
            }
        }
    }
    return out;
}

// The option of the env that must be given, if it is one text.
std::string asked_text(const ComponentNote& note) {
    std::string out;
    for (const OptionSchema& option : note.options) {
        if (option.standard || option.optional) {
            continue;
        }
        if (!out.empty() || option.type != OptionType::kString) {
            return {};
        }
        out = option.name;
    }
    return out;
}

// The names of the envs whose ids pass the test; of examples only if no others do.
template <class Test>
std::vector<std::string> names_of(const std::vector<EnvNote>& envs, const Test& test) {
    std::vector<std::string> found;
    std::vector<std::string> examples;
    for (const EnvNote& env : envs) {
        if (test(env.note->id)) {
            (env.note->example ? examples : found).push_back(env.name);
        }
    }
    return found.empty() ? examples : found;
}

Result<NamedEnv> by_last_part(const Registry& registry, const std::string& word) {
    const std::vector<EnvNote> envs = envs_of(registry, {});
    const std::vector<std::string> found = names_of(envs, [&](const std::string& id) { return id == word; });
    if (found.size() == 1) {
        return NamedEnv{.plugin = found.front(), .option = {}, .value = {}};
    }
    if (found.size() > 1) {
        return input_problem("several envs are named '" + word + "'", {}, "name one of them: " + listed(found));
    }
    // Libraries of other people's envs cannot list them all.
    std::vector<std::string> libraries;
    for (const EnvNote& env : envs) {
        const std::string library = env.name.substr(0, env.name.find('/'));
        if (!asked_text(*env.note).empty() && envs_of(registry, library).size() == 1) {
            libraries.push_back(library + "/" + word);
        }
    }
    std::vector<std::string_view> ids;
    for (const EnvNote& env : envs) {
        ids.push_back(env.note->id);
    }
    return input_problem(
        "no env '" + word + "'" + did_you_mean(word, ids), {},
        "`tenon list` shows all components" +
            (libraries.empty() ? "" : "; an env in Python is named with its library: " + listed(libraries)));
}

}  // namespace

Result<NamedEnv> find_env(const Registry& registry, const std::string& word) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) {
        return by_last_part(registry, word);
    }
    const std::vector<EnvNote> envs = envs_of(registry, word.substr(0, slash));
    const bool is_component = registry.find(word).has_value();
    const std::string option = envs.size() == 1 && !is_component ? asked_text(*envs.front().note) : std::string();
    if (!option.empty()) {
        return NamedEnv{.plugin = envs.front().name, .option = option, .value = word.substr(slash + 1)};
    }
    const Result<ComponentInfo> info = registry.find(word, "env", "env", {});
    return info ? Result<NamedEnv>(NamedEnv{.plugin = word, .option = {}, .value = {}}) : info.error();
}

}  // namespace tenon
