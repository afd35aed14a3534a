// SPDX-License-Identifier: Apache-2.0
// What a worker takes from itself before it loads anything.
#pragma once

#include "error/result.hpp"
#include "isolation/rules.hpp"

namespace tenon {

// Memory and processor time, and the network where the rules say so. A problem where the kernel does not do it: better
// no worker than one that may do what it was not to do.
Status limit_this_process(const IsolationRules& rules);

}  // namespace tenon
