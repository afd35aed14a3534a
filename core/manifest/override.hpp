// SPDX-License-Identifier: Apache-2.0
// --set a.b=VALUE: one value put into a document from the command line.
#pragma once

#include <string>
#include <string_view>

#include "error/result.hpp"
#include "manifest/node.hpp"

namespace tenon {

// `text` is what was typed after --set, `file` what places name ("--set #1"). Numbers in the path index lists.
Status apply_override(TomlTable& root, std::string_view text, const std::string& file);

}  // namespace tenon
