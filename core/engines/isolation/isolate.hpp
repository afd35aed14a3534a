// SPDX-License-Identifier: Apache-2.0
// A component whose code never runs in this process.
#pragma once

#include "base/error/result.hpp"
#include "plugins/plugin/apart.hpp"
#include "plugins/plugin/component.hpp"

namespace tenon {

// A LoadApart (plugins/plugin/registry.hpp): loads it in a worker, to check that this works and which interfaces it
// offers; instances get their own workers.
Result<LoadedComponent> isolate(const ComponentInfo& info, const IsolationRules& rules, const tn_host& host);

}  // namespace tenon
