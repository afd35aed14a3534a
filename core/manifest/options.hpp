// SPDX-License-Identifier: Apache-2.0
// The options of a component's table against the schema that its plugin publishes.
#pragma once

#include <span>
#include <vector>

#include "manifest/manifest.hpp"
#include "option/schema.hpp"

namespace tenon {

// One value per schema, in its order, defaults filled in. Adds every problem; a value that is missing or wrong is then
// the default or a zero, so that the caller can go on looking for more.
std::vector<OptionValue> resolve_options(const ComponentTable& table, std::span<const OptionSchema> schemas,
                                         Problems& problems);

}  // namespace tenon
