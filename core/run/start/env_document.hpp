// SPDX-License-Identifier: Apache-2.0
// The env that a command names, as a manifest with nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "config/manifest/document.hpp"
#include "config/manifest/override.hpp"

namespace tenon {

// env: "library/component" with so many lanes, or a manifest if it ends in .toml.
std::optional<Document> env_document(const std::string& env, std::int64_t lanes, const std::vector<Override>& overrides,
                                     Problems& problems);

}  // namespace tenon
