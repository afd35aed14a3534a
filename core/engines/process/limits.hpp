// SPDX-License-Identifier: Apache-2.0
// The limits of a component that runs in a separate process, which its worker sets for itself before it loads anything.
#pragma once

#include "base/error/result.hpp"
#include "plugins/plugin/apart.hpp"

namespace tenon {

// Limits memory and processor time, and blocks the network if the rules say so. A problem if the kernel does not
// support it: no worker is better than one without its limits.
Status limit_this_process(const IsolationRules& rules);

}  // namespace tenon
