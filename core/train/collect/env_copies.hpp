// SPDX-License-Identifier: Apache-2.0
// Copies of the lanes of an env for a policy that plans in them (abi/planner.h): a second env of the same kind, which
// takes the saved state of the first.
#pragma once

#include "base/error/result.hpp"
#include "experience/env/lanes.hpp"
#include "plugins/plugin/instance.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

// Whether the procedure of a run plans by stepping copies of the env.
[[nodiscard]] bool steps_copies(const Part& policy);

// The policy with these copies, which are lanes like the original ones, and as many. The original must outlive it.
Result<Instance> with_copies(Instance policy, Lanes copies, const Lanes& original);

}  // namespace tenon
