// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenon/transform.hpp"

// Throws unless the column is a reward of one number per step.
inline void require_single_reward(const tenon::Spec& spec) {
    if (spec.role != TN_ROLE_REWARD || spec.elements() != 1) {
        throw tenon::InvalidArgument("column '" + spec.key + "' is not a reward of one number per step");
    }
}
