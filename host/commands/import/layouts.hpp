// SPDX-License-Identifier: Apache-2.0
// Layouts: the rules for the names and shapes of a family of models. Each is a file of layouts/.
#pragma once

#include <string>
#include <vector>

#include "commands/import/name_rules.hpp"

namespace tenon {

// "gpt2, llama".
std::string layout_names();

// Reads NAME or NAME=NETWORK: the rules of a layout, or of a file with one rule a line, for the network "actor" or
// another one.
Result<std::vector<NameRule>> rules_of_layout(const std::string& text);

}  // namespace tenon
