// SPDX-License-Identifier: Apache-2.0
// The manifests that are installed with the program.
#pragma once

#include <filesystem>
#include <string>

#include "train/plan/parts.hpp"

namespace tenon {

// share/tenon/manifests of the installation.
std::filesystem::path installed_manifests();
// The manifest with this name that comes with the program: "manifests/ppo_cartpole.toml" and "ppo_cartpole.toml" name
// the same one. Empty: there is none.
std::filesystem::path installed_manifest(const std::filesystem::path& name);

// The name of the only option of an env that must be given, if it is a text: a library for the envs of others needs
// their name. Otherwise empty.
std::string asked_text(const ComponentNote& note);

// The name of the manifest for an env, "ppo_cartpole.toml". Manifests whose env is the same component come first, then
// those with the same objective, then those with the shortest name. The manifest called `own` is left out. Empty: there
// is none.
std::string shipped_manifest_for(const Part& env, const std::string& objective, const std::string& own,
                                 const std::filesystem::path& folder);

}  // namespace tenon
