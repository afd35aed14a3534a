// SPDX-License-Identifier: Apache-2.0
// The options of a component: checked against the schema that its plugin publishes, with paths made absolute.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/manifest.hpp"
#include "config/option/schema.hpp"

namespace tenon {

// One value per schema, in its order, with defaults filled in and paths made absolute. Adds every problem; a missing or
// invalid value is replaced by the default or a zero, so that the caller can find more problems.
std::vector<OptionValue> resolve_options(const ComponentTable& table, std::span<const OptionSchema> schemas,
                                         Problems& problems);

// The path from the root. A relative path at `place` begins at the folder of that file. After --set, which has no file,
// it begins at the working directory.
std::string absolute_path(const std::string& path, const Place& place);

// The same for the value of an option that is a path; others stay as they are.
void make_absolute(const OptionSchema& schema, const Place& place, OptionValue& value);

}  // namespace tenon
