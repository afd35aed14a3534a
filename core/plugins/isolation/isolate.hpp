// SPDX-License-Identifier: Apache-2.0
// A component whose code never runs in this process.
#pragma once

#include "base/error/result.hpp"
#include "plugins/isolation/limits.hpp"
#include "plugins/plugin/component.hpp"

namespace tenon {

// Loads it in a worker, to check that this works and which interfaces it offers; instances get their own workers. For
// envs, transforms and policies that are procedures. Graphs are built in the host; offers() of the result says which
// component has one.
Result<LoadedComponent> isolate(const ComponentInfo& info, const IsolationRules& rules, const tn_host& host);

}  // namespace tenon
