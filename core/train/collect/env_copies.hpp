// SPDX-License-Identifier: Apache-2.0
// Copies of the lanes of an env for a policy that plans in them (abi/planner.h): a second env of the same kind, which
// takes the saved state of the first.
#pragma once

#include "base/error/result.hpp"
#include "compute/exec/program.hpp"
#include "experience/env/lanes.hpp"
#include "plugins/plugin/instance.hpp"
#include "train/collect/frame_source.hpp"
#include "train/plan/parts.hpp"
#include "train/plan/wiring.hpp"

namespace tenon {

// Whether the procedure of a run plans by stepping copies of the env.
[[nodiscard]] bool steps_copies(const Part& policy);

// The policy with these copies, which are lanes like the original ones, and as many. What it refers to must outlive it.
// The executor may be null if no network guides the policy.
Result<Instance> with_copies(Instance policy, Lanes copies, const FrameSource& original, const Wiring& wiring,
                             Executor* executor, Learner& learner);

}  // namespace tenon
