// SPDX-License-Identifier: Apache-2.0
// A document as the text of a manifest that a person edits: only what is given, as tables with their headings.
#pragma once

#include <string>

#include "config/manifest/node.hpp"

namespace tenon {

// Reading the text gives the same tree, except that empty lists of tables are values.
std::string document_text(const TomlTable& root);

}  // namespace tenon
