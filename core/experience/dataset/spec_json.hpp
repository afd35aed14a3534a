// SPDX-License-Identifier: Apache-2.0
// Specs as JSON in the metadata of a file: [{"key": "action", "role": "action", "kind": "categorical", "dtype":
// "int64", "shape": [], "categories": [2]}, ...]. Bounds that are infinite are texts, "inf" and "-inf".
#pragma once

#include <string>
#include <string_view>

#include "base/data/spec.hpp"

namespace tenon {

std::string specs_to_json(const Composite& specs);

// Entries that cannot be read are left out: the file may come from another program.
Composite specs_from_json(std::string_view text);

}  // namespace tenon
