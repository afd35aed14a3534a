// SPDX-License-Identifier: Apache-2.0
// The shipped manifest for an env.
#pragma once

#include <filesystem>
#include <string>

#include "train/plan/parts.hpp"

namespace tenon {

// The name of the manifest, "ppo_cartpole.toml". Manifests whose env is the same component come first, then those with
// the same objective, then those with the shortest name. The manifest called `own` is left out. Empty: there is none.
std::string shipped_manifest_for(const Part& env, const std::string& objective, const std::string& own,
                                 const std::filesystem::path& folder);

}  // namespace tenon
