// SPDX-License-Identifier: Apache-2.0
// A component whose code never runs in this process.
#pragma once

#include "error/result.hpp"
#include "isolation/rules.hpp"
#include "plugin/component.hpp"

namespace tenon {

// Loads it in a worker, to see that it can be and what it offers; instances then have workers of their own. Of envs,
// transforms and policies that are procedures. What is a graph is built in the host: the answer says so by offers().
Result<LoadedComponent> isolate(const ComponentInfo& info, const IsolationRules& rules, const tn_host& host);

}  // namespace tenon
