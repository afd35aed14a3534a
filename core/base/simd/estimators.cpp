// SPDX-License-Identifier: Apache-2.0
// One loop over time for all estimators (one_step.hpp); the compiler vectorises over the inner dimension. No level may
// fuse multiplications with additions, which the compiler could always do for AVX-512.
#include "base/simd/estimators.hpp"

#include "base/simd/one_step.hpp"

namespace tenon::simd {
namespace {

using one_step::Gae;
using one_step::RewardToGo;
using one_step::TdLambda;
using one_step::Term;
using one_step::Vtrace;

// Backwards in time.
template <class Estimator, class Real>
TENON_SIMD_INLINE void back(const Extents& e, const Steps<Real>& s, Real* out) {
    for (std::int64_t block = 0; block < e.outer; ++block) {
        const std::int64_t end = (block + 1) * e.steps * e.inner;
        for (std::int64_t i = end - e.inner; i < end; ++i) {
            out[i] = Estimator::at(s, i, true).x;
        }
        for (std::int64_t row = end - 2 * e.inner; row >= block * e.steps * e.inner; row -= e.inner) {
            Real* __restrict now = out + row;
            Real* __restrict later = out + row + e.inner;
            // No input overlaps the output. The compiler would otherwise check all pairs of addresses, and gives up
            // with this many.
#pragma GCC ivdep
            for (std::int64_t i = 0; i < e.inner; ++i) {
                const Term<Real> term = Estimator::at(s, row + i, false);
                now[i] = term.x + term.decay * later[i];
                if constexpr (Estimator::kAddsValue) {
                    later[i] += s.value[row + e.inner + i];
                }
            }
        }
        for (std::int64_t i = end - e.steps * e.inner; Estimator::kAddsValue && i < end - (e.steps - 1) * e.inner;
             ++i) {
            out[i] += s.value[i];
        }
    }
}

template <class Real>
TENON_SIMD_INLINE void scan(const Extents& e, const Real* decay, const Real* x, bool reverse, Real* y) {
    for (std::int64_t block = 0; block < e.outer; ++block) {
        const std::int64_t stride = reverse ? -e.inner : e.inner;
        std::int64_t row = (block * e.steps + (reverse ? e.steps - 1 : 0)) * e.inner;
        for (std::int64_t i = row; i < row + e.inner; ++i) {
            y[i] = x[i];
        }
        for (std::int64_t step = 1; step < e.steps; ++step) {
            Real* __restrict now = y + row + stride;
            const Real* __restrict before = y + row;
            row += stride;
            for (std::int64_t i = 0; i < e.inner; ++i) {
                now[i] = x[row + i] + decay[row + i] * before[i];
            }
        }
    }
}

template <class Estimator, class Real>
TENON_SIMD_AVX2 void back_avx2(const Extents& e, const Steps<Real>& s, Real* out) {
    back<Estimator>(e, s, out);
}

template <class Estimator, class Real>
void choose(const Extents& e, const Steps<Real>& s, Real* out, Level with) {
    if (e.outer == 0 || e.steps == 0 || e.inner == 0) {
        return;
    }
    with == Level::kBase ? back<Estimator>(e, s, out) : back_avx2<Estimator>(e, s, out);
}

template <class Real>
TENON_SIMD_AVX2 void scan_avx2(const Extents& e, const Real* decay, const Real* x, bool reverse, Real* y) {
    scan(e, decay, x, reverse, y);
}

template <class Real>
void choose_scan(const Extents& e, const Real* decay, const Real* x, bool reverse, Real* y, Level with) {
    if (e.outer == 0 || e.steps == 0 || e.inner == 0) {
        return;
    }
    with == Level::kBase ? scan(e, decay, x, reverse, y) : scan_avx2(e, decay, x, reverse, y);
}

}  // namespace

void scan_linear(const Extents& extents, const float* decay, const float* x, bool reverse, float* y, Level with) {
    choose_scan(extents, decay, x, reverse, y, with);
}
void scan_linear(const Extents& extents, const double* decay, const double* x, bool reverse, double* y, Level with) {
    choose_scan(extents, decay, x, reverse, y, with);
}
void gae(const Extents& extents, const Steps<float>& in, float* out, Level with) {
    choose<Gae>(extents, in, out, with);
}
void gae(const Extents& extents, const Steps<double>& in, double* out, Level with) {
    choose<Gae>(extents, in, out, with);
}
void td_lambda(const Extents& extents, const Steps<float>& in, float* out, Level with) {
    choose<TdLambda>(extents, in, out, with);
}
void td_lambda(const Extents& extents, const Steps<double>& in, double* out, Level with) {
    choose<TdLambda>(extents, in, out, with);
}
void reward_to_go(const Extents& extents, const Steps<float>& in, float* out, Level with) {
    choose<RewardToGo>(extents, in, out, with);
}
void reward_to_go(const Extents& extents, const Steps<double>& in, double* out, Level with) {
    choose<RewardToGo>(extents, in, out, with);
}
void vtrace(const Extents& extents, const Steps<float>& in, float* out, Level with) {
    choose<Vtrace>(extents, in, out, with);
}
void vtrace(const Extents& extents, const Steps<double>& in, double* out, Level with) {
    choose<Vtrace>(extents, in, out, with);
}

}  // namespace tenon::simd
