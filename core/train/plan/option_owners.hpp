// SPDX-License-Identifier: Apache-2.0
// Tells of an unknown key which components of the manifest have an option of its name.
#pragma once

#include "base/error/problem.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// Changes problems that say only that there is no such key. If one or two components have an option of that name, the
// sentence names their tables instead of listing the known keys.
void name_option_owners(const Parts& parts, Problems& problems);

}  // namespace tenon
