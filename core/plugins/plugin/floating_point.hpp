// SPDX-License-Identifier: Apache-2.0
// Restores the rounding mode and the treatment of subnormal numbers. A library linked with -ffast-math turns subnormals
// off for the whole thread just by being loaded.
#pragma once

#include <cfenv>

namespace tenon {

class FloatingPointGuard {
public:
    FloatingPointGuard() { std::fegetenv(&saved_); }
    FloatingPointGuard(const FloatingPointGuard&) = delete;
    FloatingPointGuard& operator=(const FloatingPointGuard&) = delete;
    ~FloatingPointGuard() { std::fesetenv(&saved_); }

    // Whether they have changed; raised exception flags do not count.
    [[nodiscard]] bool changed() const {
        std::fenv_t now{};
        std::fegetenv(&now);
#if defined(__x86_64__)
        constexpr unsigned kRaised = 0x3fU;
        return now.__control_word != saved_.__control_word || (now.__mxcsr & ~kRaised) != (saved_.__mxcsr & ~kRaised);
#else
        return now.__fpcr != saved_.__fpcr;
#endif
    }

private:
    std::fenv_t saved_{};
};

}  // namespace tenon
