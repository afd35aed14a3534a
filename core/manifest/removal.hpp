// SPDX-License-Identifier: Apache-2.0
// Keys that are taken out of a document: `remove = ["train.clip_norm", "env.transforms.0"]`.
#pragma once

#include <string_view>

#include "error/problem.hpp"
#include "manifest/node.hpp"

namespace tenon {

// `names`: a dotted key, or a list of them; numbers count the elements of lists as they were before anything is
// removed. `why_not` ends the sentence about a key that is not there: "the manifest does not give it". Where there is
// a problem nothing is removed.
void remove_keys(TomlTable& root, const TomlNode& names, std::string_view why_not, Problems& problems);

}  // namespace tenon
