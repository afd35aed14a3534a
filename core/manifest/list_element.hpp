// SPDX-License-Identifier: Apache-2.0
// Elements of lists by the numbers that stand for them in dotted keys, "env.transforms.0".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "error/result.hpp"
#include "manifest/node.hpp"

namespace tenon {

// The element of `list` that `name` is the number of. The problem names the list by its `path` and stands at `place`.
Result<std::size_t> element_named(const std::string& name, const std::vector<TomlNode>& list, const std::string& path,
                                  const Place& place);

}  // namespace tenon
