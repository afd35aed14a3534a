// SPDX-License-Identifier: Apache-2.0
// Checks the options of a component's table against the schema that its plugin publishes.
#pragma once

#include <span>
#include <vector>

#include "config/manifest/manifest.hpp"
#include "config/option/schema.hpp"

namespace tenon {

// One value per schema, in its order, with defaults filled in and paths made absolute. Adds every problem; a missing or
// invalid value is replaced by the default or a zero, so that the caller can find more problems.
std::vector<OptionValue> resolve_options(const ComponentTable& table, std::span<const OptionSchema> schemas,
                                         Problems& problems);

}  // namespace tenon
