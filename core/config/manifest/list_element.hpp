// SPDX-License-Identifier: Apache-2.0
// Elements of lists, addressed by their numbers in dotted keys, "env.transforms.0".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/node.hpp"

namespace tenon {

// The element of `list` with the number `name`. The problem names the list by its `path` and refers to `place`.
Result<std::size_t> element_named(const std::string& name, const std::vector<TomlNode>& list, const std::string& path,
                                  const Place& place);

}  // namespace tenon
