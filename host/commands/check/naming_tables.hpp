// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "commands/check/check.hpp"

namespace tenon {

// The manifest tables that name the subject's component: "env", "policy.actor", "env.transforms.0".
std::vector<std::string> tables_naming(const CheckSubject& subject);

// The first benchmark manifest that names the component; empty if there is none.
std::filesystem::path manifest_with(const std::string& component);

}  // namespace tenon
