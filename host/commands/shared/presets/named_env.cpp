// SPDX-License-Identifier: Apache-2.0
#include "shared/presets/named_env.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "base/error/listed.hpp"
#include "run/start/shipped_manifest.hpp"

namespace tenon {
namespace {

struct EnvNote {
    std::string name;
    const ComponentNote* note = nullptr;
};

char lower_case(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// The envs of a library; if it is empty, those whose names no other plugin has.
std::vector<EnvNote> envs_of(const std::vector<std::shared_ptr<const PluginFile>>& files, std::string_view library) {
    std::vector<EnvNote> out;
    for (const auto& file : files) {
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

// Whether the env needs one text, which may follow the library's name.
bool takes_any_name(const Registry& registry, const EnvNote& env, std::string_view library) {
    return !asked_text(*env.note).empty() && envs_of(registry.files(), library).size() == 1;
}

// Whether the word is the id without its version, in upper or lower case: "cartpole" for "CartPole-v1".
bool is_without_version(std::string_view word, std::string_view id) {
    const std::size_t version = id.rfind("-v");
    return version != std::string_view::npos &&
           std::ranges::equal(word, id.substr(0, version), {}, lower_case, lower_case);
}

// Whether the word is an id with a version, "Taxi-v4", and not a path.
bool is_id_with_version(std::string_view word) {
    const std::size_t version = word.rfind("-v");
    return version != std::string_view::npos && version + 2 < word.size() && word.find('/') == std::string_view::npos &&
           word.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
}

// Whether the help for the env's text shows an id with a version.
bool asks_for_version(const ComponentNote& note) {
    const std::string asked = asked_text(note);
    return std::ranges::any_of(note.options, [&](const OptionSchema& option) {
        const std::string first = option.help.substr(0, option.help.find(','));
        return option.name == asked && is_id_with_version(first);
    });
}

// The id as an env of each library for other people's envs that has ids of this form.
std::vector<std::string> in_other_libraries(const Registry& registry, const std::vector<EnvNote>& envs,
                                            const std::string& id) {
    std::vector<std::string> out;
    for (const EnvNote& env : is_id_with_version(id) ? envs : std::vector<EnvNote>()) {
        const std::string library = env.name.substr(0, env.name.find('/'));
        if (asks_for_version(*env.note) && takes_any_name(registry, env, library)) {
            out.push_back(library + "/" + id);
        }
    }
    return out;
}

std::string did_you_mean_any(const std::vector<std::string>& names) {
    return "; did you mean " + listed(names, [](const std::string& name) { return "'" + name + "'"; }) + "?";
}

Result<NamedEnv> by_last_part(const Registry& registry, const std::string& word) {
    const std::vector<EnvNote> envs = envs_of(registry.outlines(), {});
    const std::vector<std::string> found = names_of(envs, [&](const std::string& id) { return id == word; });
    if (found.size() == 1) {
        return NamedEnv{.plugin = found.front(), .option = {}, .value = {}};
    }
    if (found.size() > 1) {
        return input_problem("several envs are named '" + word + "'", {}, "name one of them: " + listed(found));
    }
    // Libraries for other people's envs cannot list all of them. "gym:Taxi-v4" already names such a library, and the
    // suggestion may as well.
    std::vector<std::string> libraries;
    const std::size_t colon = word.find(':');
    const bool names_library =
        colon != std::string::npos && !envs_of(registry.files(), std::string_view(word).substr(0, colon)).empty();
    const std::string meant = did_you_mean_env(registry, word);
    const std::vector<std::string> likely = in_other_libraries(registry, envs, word);
    const bool has_name = names_library || (!likely.empty() && meant == did_you_mean_any(likely));
    for (const EnvNote& env : has_name ? std::vector<EnvNote>() : envs) {
        const std::string library = env.name.substr(0, env.name.find('/'));
        if (takes_any_name(registry, env, library)) {
            libraries.push_back(library + "/" + word);
        }
    }
    return input_problem(
        "no env '" + word + "'" + meant, {},
        "`tenon list env` shows all envs" +
            (libraries.empty() ? "" : "; an env in Python is named with its library: " + listed(libraries)));
}

}  // namespace

std::string did_you_mean_env(const Registry& registry, const std::string& word) {
    const std::vector<EnvNote> envs = envs_of(registry.files(), {});
    std::vector<std::string> meant = names_of(envs, [&](const auto& id) { return is_without_version(word, id); });
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) {  // "gym:Taxi-v4"
        const std::string library = word.substr(0, colon);
        for (const EnvNote& env : envs_of(registry.files(), library)) {
            if (takes_any_name(registry, env, library)) {
                meant.push_back(library + "/" + word.substr(colon + 1));
            }
        }
    }
    if (!meant.empty()) {
        return did_you_mean_any(meant);
    }
    std::vector<std::string_view> ids;
    std::ranges::transform(envs, std::back_inserter(ids),
                           [](const EnvNote& env) -> std::string_view { return env.note->id; });
    const std::string near = did_you_mean(word, ids);
    const std::vector<std::string> others = in_other_libraries(registry, envs, word);
    return near.empty() && !others.empty() ? did_you_mean_any(others) : near;
}

Result<NamedEnv> find_env(const Registry& registry, const std::string& word) {
    const std::size_t slash = word.find('/');
    if (slash == std::string::npos) {
        return by_last_part(registry, word);
    }
    const bool is_component = registry.find(word).has_value();  // reads the options of the library, too
    const std::vector<EnvNote> envs = envs_of(registry.outlines(), word.substr(0, slash));
    const std::string option = envs.size() == 1 && !is_component ? asked_text(*envs.front().note) : std::string();
    if (!option.empty()) {
        return NamedEnv{.plugin = envs.front().name, .option = option, .value = word.substr(slash + 1)};
    }
    const Result<ComponentInfo> info = registry.find(word, "env", "env", {});
    return info ? Result<NamedEnv>(NamedEnv{.plugin = word, .option = {}, .value = {}}) : info.error();
}

}  // namespace tenon
