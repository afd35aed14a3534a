// SPDX-License-Identifier: Apache-2.0
// a.b=VALUE: sets one value of a document from the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

struct Override {
    std::string text;    // a.b=VALUE; numbers and plugins in the path are elements of lists
    std::string option;  // the option that gave it, for places: "--set #1"
    std::string key{};   // for an option that abbreviates a key, "run.seed": the text is only the value
};

// From the values of --set.
std::vector<Override> given_by_set(std::span<const std::string> texts);

Status apply_override(TomlTable& root, const Override& value);

}  // namespace tenon
