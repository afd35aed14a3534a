// SPDX-License-Identifier: Apache-2.0
// Checks the options for the initial states, for every env in this folder.
#pragma once

#include "tenon/guard.hpp"

inline void require_bounds(double reset_low, double reset_high) {
    if (reset_low > reset_high) {
        throw tenon::InvalidArgument("reset_low must not be above reset_high");
    }
}
