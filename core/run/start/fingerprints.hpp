// SPDX-License-Identifier: Apache-2.0
// plugins.toml of a run: the plugin files that it was computed with. With other files the results may differ, and a
// resumed run would not be the same run.
#pragma once

#include <filesystem>
#include <string>

#include "base/error/result.hpp"
#include "config/manifest/document.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// One TOML table per plugin file: library, version, path, sha256.
Result<std::string> plugin_fingerprints(const Wiring& wiring);

// The problem of a component from a library that the run in the folder did not use. It names the component and the one
// in its place in the run's manifest, `before`. Nothing if there is none.
Status check_same_components(const Wiring& wiring, const std::filesystem::path& folder, const Document& before);

// The plugin files whose bytes differ from those in plugins.toml of the run's folder, with their versions; empty if
// there is none. Paths may differ. A library that the run did not use is not among them.
Result<std::string> changed_plugins(const Wiring& wiring, const std::filesystem::path& folder);

// The problem of a resumed run with changed plugins, or nothing.
Status check_same_plugins(const Wiring& wiring, const std::filesystem::path& folder);

}  // namespace tenon
