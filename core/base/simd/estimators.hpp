// SPDX-License-Identifier: Apache-2.0
// Recurrences over time, and the estimators based on them, in one pass over dense [outer, steps, inner] memory. Every
// level gives the same bits as the primitives in the SDK's composites (tenon/estimators.hpp): the same operations with
// the same rounding.
#pragma once

#include "base/simd/level.hpp"
#include "base/simd/steps.hpp"

namespace tenon::simd {

// y[t] = x[t] + decay[t] y[t - 1], or y[t + 1] if reverse; y outside of the range is 0.
void scan_linear(const Extents& extents, const float* decay, const float* x, bool reverse, float* y,
                 Level with = level());
void scan_linear(const Extents& extents, const double* decay, const double* x, bool reverse, double* y,
                 Level with = level());

void gae(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void gae(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void td_lambda(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void td_lambda(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void reward_to_go(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void reward_to_go(const Extents& extents, const Steps<double>& in, double* out, Level with = level());
void vtrace(const Extents& extents, const Steps<float>& in, float* out, Level with = level());
void vtrace(const Extents& extents, const Steps<double>& in, double* out, Level with = level());

}  // namespace tenon::simd
