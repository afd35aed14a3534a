// SPDX-License-Identifier: Apache-2.0
// Puts rounding and the treatment of subnormal numbers back to what they were. A library linked with -ffast-math
// switches subnormals off for the whole thread just by being loaded.
#pragma once

#include <cfenv>

namespace tenon {

class FloatingPointGuard {
public:
    FloatingPointGuard() { std::fegetenv(&saved_); }
    FloatingPointGuard(const FloatingPointGuard&) = delete;
    FloatingPointGuard& operator=(const FloatingPointGuard&) = delete;
    ~FloatingPointGuard() { std::fesetenv(&saved_); }

private:
    std::fenv_t saved_{};
};

}  // namespace tenon
