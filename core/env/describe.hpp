// SPDX-License-Identifier: Apache-2.0
// What envs and transforms say about their columns, checked before anything is allocated.
#pragma once

#include <cstdint>

#include "data/spec.hpp"
#include "replay/callee.hpp"
#include "tenon/abi/env.h"
#include "tenon/abi/transform.h"

namespace tenon {

struct EnvInfo {
    Composite specs;
    bool deterministic = false;      // same build, seeds and actions: same bytes
    std::int64_t episode_limit = 0;  // 0: none
};

// Problems are the plugin's: a spec that makes no sense, a key twice or one that the host keeps for itself, no
// observation, action or reward.
Result<EnvInfo> describe_env(const Callee<tn_env_api>& env);

// The columns after the transform, under the same rules; actions that it changes need its invert.
Result<Composite> describe_transform(const Callee<tn_transform_api>& transform, const Composite& inner);

// Does a column pass from one side of a transform to the other in the same memory?
bool shares_memory(const Spec& inner, const Spec& outer);

}  // namespace tenon
