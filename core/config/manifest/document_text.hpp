// SPDX-License-Identifier: Apache-2.0
// A document as the text of a manifest that a person edits, and as a flat list of values.
#pragma once

#include <map>
#include <string>

#include "config/manifest/document.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

// Reading the text gives the same tree, except that empty lists of tables are values.
std::string document_text(const TomlTable& root);

// "train.minibatch" -> "64", "env.transforms.0.k" -> "3"; values in the form of to_toml. Empty tables are omitted.
std::map<std::string, std::string> flatten(const Document& document);

}  // namespace tenon
