// SPDX-License-Identifier: Apache-2.0
// The columns of envs and transforms, checked before anything is allocated.
#pragma once

#include <cstdint>

#include "base/data/spec.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/transform.h"

namespace tenon {

struct EnvInfo {
    Composite specs;
    bool deterministic = false;      // same build, seeds and actions: same bytes
    std::int64_t episode_limit = 0;  // 0: none
    bool all_lanes = false;          // a call of step has all lanes
};

// Problems are the plugin's: an invalid spec, a key that occurs twice or is reserved by the host, or a missing
// observation, action or reward.
// refusal: whose fault it is if the plugin refuses to describe itself.
Result<EnvInfo> describe_env(const Callee<tn_env_api>& env, Fault refusal = Fault::kPlugin);

// The columns after the transform, for any columns before it.
Result<Composite> transformed(const Callee<tn_transform_api>& transform, const Composite& inner);

// The same for an env's columns, which follow more rules. A transform that changes actions needs an invert.
Result<Composite> describe_transform(const Callee<tn_transform_api>& transform, const Composite& inner);

// Whether a column has the same memory on both sides of a transform. inverts: the transform has a function invert.
bool shares_memory(const Spec& inner, const Spec& outer, bool inverts);

}  // namespace tenon
