// SPDX-License-Identifier: Apache-2.0
// A preset: a manifest without an env, and what it needs of one. Presets are files that are installed with the program.
//
//     [preset]
//     algorithm = "dqn"                   # with which the file's name begins
//     about = "deep Q-learning"
//     observations = "vector"             # these keys choose the preset; env_kind.hpp has the words
//     actions = ["discrete", "one_hot"]
//     bounded = true                      # the observations have bounds, or have none
//     group = true                        # several agents act; without this key, one does
//     env = "atari/*"                     # a pattern of the env's name
//     asks = { "buffer.init" = "recorded frames or a dataset to learn from" }
//
// The rest is a manifest, in which the text "$group" stands for the name of the agents' group, "$layout" for the layout
// of the picture, "$observations" for the list of the observed columns, without the vectors if there is a picture,
// "$observation" for the first of them, "$vectors" for the list of those vectors, "$all" for the observed columns by
// their names outside of the group, and "$state" for the env's column "state" or, without it, for "$all". Within a
// list, a list becomes elements of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/document.hpp"
#include "shared/presets/env_kind.hpp"

namespace tenon {

struct Preset {
    std::string algorithm;
    std::string about;
    std::vector<std::string> observations;  // empty: any
    std::vector<std::string> actions;       // empty: any
    std::optional<bool> bounded;
    bool group = false;
    std::string env;                                        // a pattern; empty: any
    std::vector<std::pair<std::string, std::string>> asks;  // keys that the person must give, and what they are
    Document document;                                      // without [preset]
};

// share/tenon/manifests/presets of the installation.
std::filesystem::path installed_presets();

// Every *.toml of the folder, by name. Adds every problem. Of an algorithm: only those files whose names begin with it,
// as all names of its presets do, because reading all of them takes longer than the rest of a command.
std::vector<Preset> read_presets(const std::filesystem::path& folder, Problems& problems,
                                 std::string_view algorithm = {});

// The algorithms, each once, in the order of their names.
std::vector<std::string> algorithms_of(const std::vector<Preset>& presets);

// The number of the preset's needs that the env fulfils; nothing if it fails one of them. The preset with the highest
// number fits best.
std::optional<int> fit_of(const Preset& preset, const EnvKind& kind, const std::string& env);

// "vector observations with discrete or one_hot actions": what it is for.
std::string needs_of(const Preset& preset);

}  // namespace tenon
