// SPDX-License-Identifier: Apache-2.0
// plugins.toml of a run: which plugin files it was computed with. Another file may give other numbers, and then a
// resumed run would not be the run that it claims to be.
#pragma once

#include <filesystem>
#include <string>

#include "error/result.hpp"
#include "train/wiring.hpp"

namespace tenon {

// One table of TOML a plugin file: library, version, path, sha256.
Result<std::string> plugin_fingerprints(const Wiring& wiring);

// One problem that lists every plugin file that is not what plugins.toml in the run's folder says, or nothing. Where
// the files lie may differ.
Status check_same_plugins(const Wiring& wiring, const std::filesystem::path& folder);

}  // namespace tenon
