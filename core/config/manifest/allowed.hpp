// SPDX-License-Identifier: Apache-2.0
// Warnings that a manifest may silence: validate.allow.
#pragma once

#include <string_view>

#include "base/error/problem.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

// The warnings of this name. None if the manifest allows them; otherwise their help says how to allow them.
Problems unless_allowed(const Manifest& manifest, std::string_view name, Problems warnings);

}  // namespace tenon
