// SPDX-License-Identifier: Apache-2.0
// What a policy that is a graph promises where a manifest lets it act: of its actions, and of what its functions say of
// them.
#pragma once

#include <span>

#include "check/check.hpp"

namespace tenon {

std::span<const Check> acting_checks();

}  // namespace tenon
