// SPDX-License-Identifier: Apache-2.0
// The manifest that comes with the program for an env.
#pragma once

#include <filesystem>
#include <string>

#include "train/plan/parts.hpp"

namespace tenon {

// Its name, "ppo_cartpole.toml". First come those whose env is the same component, then those with the objective (a
// component), then those with the shortest name. Not the one that is called `own`. Empty: there is none.
std::string shipped_manifest_for(const Part& env, const std::string& objective, const std::string& own,
                                 const std::filesystem::path& folder);

}  // namespace tenon
