// SPDX-License-Identifier: Apache-2.0
// For wrappers that take one action by themselves.
#pragma once

#include <cstdint>
#include <string>

#include "tenon/env_spec.hpp"
#include "tenon/guard.hpp"

// Throws if the env's action is not one choice, or if it has no such choice.
inline void require_choice(const tenon::EnvSpec& inner, std::int64_t action) {
    const tenon::Spec& only = inner.actions[0];
    if (inner.actions.size() != 1 || only.kind != TN_SPEC_CATEGORICAL || only.dtype != TN_I64) {
        throw tenon::InvalidArgument("the action '" + only.key + "' is not one choice, of which one does nothing");
    }
    if (action >= only.categories[0]) {
        throw tenon::InvalidArgument("option 'action' is " + std::to_string(action) +
                                     ", and the env has actions 0 to " + std::to_string(only.categories[0] - 1));
    }
}
