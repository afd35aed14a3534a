// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "check/check.hpp"

namespace tenon {

// The tables of the subject's manifest that bring its component in: "env", "policy.actor", "env.transforms.0". Nothing
// where the manifest cannot be read, which wiring it tells.
std::optional<std::vector<std::string>> tables_naming(const CheckSubject& subject);

}  // namespace tenon
