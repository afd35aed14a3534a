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

// The problem of a component whose library the run in the folder did not use. It names both the component and the one
// that the run's manifest, `before`, has in its place. Nothing if there is none.
Status check_same_components(const Wiring& wiring, const std::filesystem::path& folder, const Document& before);

// One problem that lists every plugin file that differs from plugins.toml in the run's folder, or nothing. Paths may
// differ.
Status check_same_plugins(const Wiring& wiring, const std::filesystem::path& folder);

}  // namespace tenon
