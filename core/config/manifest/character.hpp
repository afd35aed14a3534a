// SPDX-License-Identifier: Apache-2.0
// Finds the line and column of a character inside a TOML string: for options that are texts in a language of their own,
// such as expressions.
#pragma once

#include <cstddef>
#include <optional>

#include "base/error/problem.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

// The place in the manifest of character `number` (from 0, in code points) of the string, with the rest of the word
// that begins with it. Nothing if the node is no string, if the string is shorter, or if its line is too long to be
// kept.
std::optional<Place> place_of_character(const TomlNode& node, std::size_t number);

}  // namespace tenon
