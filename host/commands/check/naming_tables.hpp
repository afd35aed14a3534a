// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "commands/check/check.hpp"

namespace tenon {

// The manifest tables that name the subject's component: "env", "policy.actor", "env.transforms.0".
std::vector<std::string> tables_naming(const CheckSubject& subject);

}  // namespace tenon
