// SPDX-License-Identifier: Apache-2.0
// What an estimator computes from one step's inputs, for the loops of the CPU and for kernels on a device: x and decay
// of the recurrence y[t] = x[t] + decay[t] y[t + 1]. TENON_SIMD_INLINE says what kind of function it is.
#pragma once

#include <cstdint>

#include "base/simd/steps.hpp"

namespace tenon::simd::one_step {

template <class Real>
struct Term {
    Real x;
    Real decay;
};

template <class Real>
TENON_SIMD_INLINE Real real(std::uint8_t flag) {
    return static_cast<Real>(flag);
}

struct Plain {
    static constexpr bool kAddsValue = false;
};

struct Gae : Plain {
    template <class Real>
    TENON_SIMD_INLINE static Term<Real> at(const Steps<Real>& s, std::int64_t i, bool) {
        const Real bootstrap = s.gamma * (1 - real<Real>(s.terminated[i])) * s.next_value[i];
        return {bootstrap + s.reward[i] - s.value[i], s.gamma * s.lambda * (1 - real<Real>(s.done[i]))};
    }
};

struct TdLambda : Plain {
    template <class Real>
    TENON_SIMD_INLINE static Term<Real> at(const Steps<Real>& s, std::int64_t i, bool last) {
        const Real trace = s.lambda * (last ? Real{0} : 1 - real<Real>(s.done[i]));
        const Real bootstrap = s.gamma * (1 - real<Real>(s.terminated[i])) * (1 - trace) * s.next_value[i];
        return {s.reward[i] + bootstrap, s.gamma * trace};
    }
};

struct RewardToGo : Plain {
    template <class Real>
    TENON_SIMD_INLINE static Term<Real> at(const Steps<Real>& s, std::int64_t i, bool) {
        return {s.reward[i], s.gamma * (1 - real<Real>(s.done[i]))};
    }
};

struct Vtrace {
    static constexpr bool kAddsValue = true;  // to the result of the recurrence

    template <class Real>
    TENON_SIMD_INLINE static Term<Real> at(const Steps<Real>& s, std::int64_t i, bool) {
        const Real bootstrap = s.gamma * (1 - real<Real>(s.terminated[i])) * s.next_value[i];
        return {s.rho[i] * (s.reward[i] + bootstrap - s.value[i]), s.gamma * s.c[i] * (1 - real<Real>(s.done[i]))};
    }
};

}  // namespace tenon::simd::one_step
