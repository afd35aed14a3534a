// SPDX-License-Identifier: Apache-2.0
// Recurrences over time, and the estimators that are made of one, in one pass over dense [outer, steps, inner] memory.
// Every level gives the bits of the primitives that the SDK's composites are written in (tenon/estimators.hpp): the
// same operations, each rounded by itself.
#pragma once

#include <cstdint>

#include "simd/level.hpp"

namespace tenon::simd {

struct Extents {
    std::int64_t outer = 1;
    std::int64_t steps = 0;
    std::int64_t inner = 1;
};

// y[t] = x[t] + decay[t] y[t - 1], or y[t + 1] where reverse; y beyond the ends is 0.
void scan_linear(const Extents& extents, const float* decay, const float* x, bool reverse, float* y,
                 Level with = level());
void scan_linear(const Extents& extents, const double* decay, const double* x, bool reverse, double* y,
                 Level with = level());

// What estimators read: flags are 0 or 1. Null where the estimator has no use for it.
template <class Real>
struct Steps {
    const Real* reward = nullptr;
    const Real* value = nullptr;
    const Real* next_value = nullptr;
    const std::uint8_t* terminated = nullptr;
    const std::uint8_t* done = nullptr;
    const Real* rho = nullptr;
    const Real* c = nullptr;
    Real gamma = 0;
    Real lambda = 0;
};

void gae(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void gae(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void td_lambda(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void td_lambda(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void reward_to_go(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void reward_to_go(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void vtrace(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void vtrace(const Extents& extents, const Steps<double>& in, double* out, Level with = level());

}  // namespace tenon::simd
