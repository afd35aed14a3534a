// SPDX-License-Identifier: Apache-2.0
#include "shared/presets/manifest_options.hpp"

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "base/error/problem.hpp"
#include "base/file/read.hpp"
#include "config/manifest/override.hpp"
#include "config/manifest/parse.hpp"
#include "plugin_options.hpp"
#include "run/start/executor.hpp"
#include "run/start/setup.hpp"
#include "run/start/shipped_manifest.hpp"
#include "shared/presets/one_line.hpp"
#include "shared/presets/preset.hpp"

namespace tenon::host {
namespace {

std::vector<Override> overrides_of(const CommandLine& line) {
    std::vector<Override> out = given_by_set(line.texts("set"));
    if (const auto seed = line.integer("seed")) {
        out.push_back({std::to_string(*seed), "--seed", "run.seed"});
    }
    return out;
}

// Whether the single word names an algorithm, and no file: an env is then missing.
bool is_algorithm(const std::string& word) {
    std::error_code code;
    if (word.find('.') != std::string::npos || std::filesystem::exists(word, code)) {
        return false;
    }
    Problems ignored;
    const std::vector<Preset> presets = read_presets(installed_presets(), ignored, word);
    return std::ranges::find(presets, word, &Preset::algorithm) != presets.end();
}

// Whether the file is text or data of another kind. A manifest with any name is in TOML.
bool is_other_file(const std::string& file) {
    std::error_code code;
    if (file.ends_with(".toml") || !std::filesystem::is_regular_file(file, code)) {
        return false;
    }
    const Result<std::string> text = read_file(file, Largest{.bytes = std::uint64_t{1} << 20U, .kind = "manifest"});
    return !text || !parse_toml(*text, file);
}

// The name, without its end, of the manifest in the folder that is nearest to this one.
std::string nearest_manifest(const std::filesystem::path& folder, const std::string& name) {
    std::vector<std::string> names;
    std::error_code code;
    for (std::filesystem::directory_iterator at(folder.empty() ? "." : folder, code), end; !code && at != end;
         at.increment(code)) {
        if (at->path().extension() == ".toml") {
            names.push_back(at->path().stem().string());
        }
    }
    std::ranges::sort(names);
    return std::string(nearest(name, {names.begin(), names.end()}));
}

// A file that does not exist, if a manifest of almost this name does, in its folder or among those that are shipped.
std::optional<Problem> mistyped(const std::string& file) {
    const std::filesystem::path path(file);
    const std::string name = (path.extension() == ".toml" ? path.stem() : path.filename()).string();
    std::error_code code;
    if (std::filesystem::exists(path, code)) {
        return std::nullopt;
    }
    for (const std::filesystem::path& folder : {path.parent_path(), installed_manifests()}) {
        if (const std::string near = nearest_manifest(folder, name); !near.empty()) {
            return input_problem("there is no file " + file + "; did you mean '" + (folder / near).string() +
                                 ".toml'?");
        }
    }
    return std::nullopt;
}

// The problem of a file that is no manifest: it is the folder of a run, something else, or it is missing and a manifest
// of that name is shipped.
std::optional<Problem> other_meaning(const std::string& file) {
    std::error_code code;
    if (const auto lock = std::filesystem::path(file) / "manifest.lock.toml"; std::filesystem::exists(lock, code)) {
        return input_problem(file + " is the folder of a run, not a manifest", {}, "its manifest is " + lock.string());
    }
    if (is_other_file(file)) {
        return input_problem(file + " is not a manifest: it is not in TOML", {},
                             "docs/manifests.md lists manifests; `tenon init ALGORITHM ENV` writes one");
    }
    const std::filesystem::path path = installed_manifest(file);
    if (!path.empty() && !std::filesystem::exists(file, code)) {
        return input_problem("there is no file " + file, {}, "the one that comes with tenon is " + path.string());
    }
    return file.ends_with(".toml") ? mistyped(file) : std::nullopt;
}

// A word that ends in .toml is meant as a manifest: if it does not exist, the error says so.
bool is_no_file(const std::string& word) {
    std::error_code code;
    return !word.ends_with(".toml") && !std::filesystem::exists(word, code);
}

}  // namespace

void add_manifest_options(CommandLine& line) {
    add_plugin_options(line);
    line.options()("set", boost::program_options::value<std::vector<std::string>>()->value_name("KEY=VALUE"),
                   "overrides a value of the manifest, for example objective.gamma=0.98; may be repeated")(
        "seed", integer_value("N"), "short for --set run.seed=N");
    line.positional("manifest", 2);
}

Setup set_up_whole(const Request& request, const std::string& asker, Problems& problems) {
    if (problems.empty() && request.manifest.empty()) {
        problems.push_back(input_problem(asker + " needs a manifest, or an algorithm and an env"));
    }
    if (!problems.empty()) {
        return {};
    }
    Setup out = set_up(request, problems);
    if (problems.empty()) {
        check_executor(*out.wiring, problems);
    }
    return out;
}

std::string init_text(const Request& request) {
    return one_line_text(*request.document, "tenon init " + request.manifest.string());
}

std::optional<std::string> text_of_words(const CommandLine& line, Problems& problems,
                                         const std::filesystem::path& file) {
    const Request request = manifest_request(line, problems, file);
    if (!problems.empty()) {
        return std::nullopt;
    }
    const Setup setup = set_up(request, problems);
    return problems.empty() ? std::optional(init_text(request)) : std::nullopt;
}

Request manifest_request(const CommandLine& line, Problems& problems, const std::filesystem::path& file) {
    Request request{.manifest = {}, .overrides = overrides_of(line), .plugins = given_plugin_folders(line)};
    const std::vector<std::string> words = line.texts("manifest");
    if (words.size() == 2) {
        request.document = one_line_manifest({.algorithm = words[0],
                                              .env = words[1],
                                              .overrides = request.overrides,
                                              .plugins = request.plugins,
                                              .file = file},
                                             installed_presets(), problems);
        request.manifest = words[0] + " " + words[1];  // for messages
    } else if (words.size() == 1) {
        request.manifest = words.front();
        if (std::optional<Problem> problem = other_meaning(words.front())) {
            problems.push_back(*std::move(problem));
        } else if (is_algorithm(words.front())) {
            problems.push_back(input_problem("the algorithm '" + words.front() + "' needs an env", {},
                                             "for example `tenon run " + words.front() + " CartPole-v1`"));
        } else if (is_no_file(words.front())) {
            std::optional<Problem> alone = env_alone(words.front(), request.plugins);
            alone = alone ? std::move(alone) : mistyped(words.front());
            if (alone) {
                problems.push_back(*std::move(alone));
            }
        }
    }
    return request;
}

std::string algorithms_help() {
    return "\nALGORITHM ENV in place of a manifest: the algorithm's preset for this kind of env. `tenon init` "
           "writes\nit as a manifest. ENV is a component (LIBRARY/NAME), its name alone if only one library has it, a "
           "library\nof envs in Python with an id of theirs (LIBRARY/ID), or a manifest, whose [env] is used. "
           "Algorithms:\n" +
           algorithms_text(installed_presets());
}

}  // namespace tenon::host
