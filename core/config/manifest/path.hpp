// SPDX-License-Identifier: Apache-2.0
// Paths that a manifest names.
#pragma once

#include <string>

#include "base/error/problem.hpp"
#include "config/option/schema.hpp"

namespace tenon {

// A relative path at `place` begins at the folder of that file. After --set, which has no file, it begins at the
// working directory.
std::string absolute_path(const std::string& path, const Place& place);

// The same for the value of an option that is a path; others stay as they are.
void make_absolute(const OptionSchema& schema, const Place& place, OptionValue& value);

}  // namespace tenon
