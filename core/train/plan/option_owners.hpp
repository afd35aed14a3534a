// SPDX-License-Identifier: Apache-2.0
// Finds the components of the manifest that have an option with the name of an unknown key.
#pragma once

#include "base/error/problem.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// Changes problems that only say that a key does not exist. If one or two components have an option of that name, the
// sentence names their tables instead of listing the known keys.
void name_option_owners(const Parts& parts, Problems& problems);

}  // namespace tenon
