// SPDX-License-Identifier: Apache-2.0
// Removes keys from a document: `remove = ["train.clip_norm", "env.transforms.0"]`.
#pragma once

#include <string_view>

#include "base/error/problem.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

// `names`: a dotted key or a list of them; list indices refer to the lists before any removal. `why_not` ends the
// sentence about a missing key: "the manifest does not give it". If there is a problem, nothing is removed.
void remove_keys(TomlTable& root, const TomlNode& names, std::string_view why_not, Problems& problems);

}  // namespace tenon
