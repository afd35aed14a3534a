// SPDX-License-Identifier: Apache-2.0
// The check that every env here makes of where its episodes start.
#pragma once

#include "tenon/guard.hpp"

inline void require_bounds(double reset_low, double reset_high) {
    if (reset_low > reset_high) {
        throw tenon::InvalidArgument("reset_low is above reset_high");
    }
}
