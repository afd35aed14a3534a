// SPDX-License-Identifier: Apache-2.0
// What a step of one lane returns. Both compilers read this file (device_rules.hpp).
#pragma once

#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

struct StepResult {
    double reward = 0;
    bool terminated = false;  // the episode ended by itself: no value follows
    bool truncated = false;   // the episode was cut off: bootstrap from the final observation
};

}  // namespace TENON_SDK
}  // namespace tenon
