// SPDX-License-Identifier: Apache-2.0
// a.b=VALUE: one value put into a document from the command line.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "manifest/node.hpp"

namespace tenon {

struct Override {
    std::string text;    // a.b=VALUE; numbers in the path index lists
    std::string option;  // that gave it; places name it: "--set #1"
    std::string key{};   // of an option that is short for a key, "run.seed": the text is the value alone
};

// Of the texts after --set.
std::vector<Override> given_by_set(std::span<const std::string> texts);

Status apply_override(TomlTable& root, const Override& value);

}  // namespace tenon
