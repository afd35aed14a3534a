// SPDX-License-Identifier: Apache-2.0
// `tenon run ALGORITHM ENV`: the manifest that a preset gives for an env.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/document.hpp"
#include "plugins/plugin/search_path.hpp"

namespace tenon {

struct OneLine {
    std::string algorithm;
    std::string env;                         // as find_env reads it, or a manifest, whose [env] is used
    std::vector<Override> overrides = {};    // later ones have priority
    std::vector<SearchFolder> plugins = {};  // of --plugins
    std::filesystem::path file = {};         // the file to which the manifest is written; empty: its place is not known
};

// Opens the env to see what kind it is, and chooses the preset of the algorithm that fits best. Adds every problem; the
// document is complete if there are none.
std::optional<Document> one_line_manifest(const OneLine& line, const std::filesystem::path& presets,
                                          Problems& problems);

// The problem of a word that is given instead of a manifest, if it is the name of an env or close to one; otherwise
// none.
std::optional<Problem> env_alone(const std::string& word, const std::vector<SearchFolder>& plugins);

// The text of that manifest, for a person who edits it. `command` made it.
std::string one_line_text(const Document& document, const std::string& command);

// A line for each algorithm: its name, and what it is.
std::string algorithms_text(const std::filesystem::path& presets);

}  // namespace tenon
