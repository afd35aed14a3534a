// SPDX-License-Identifier: Apache-2.0
#include "base/simd/tanh.hpp"

#include "base/simd/one_tanh.hpp"

namespace tenon::simd {
namespace {

template <bool kFused, class Real>
TENON_SIMD_INLINE void run(const Real* x, Real* y, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        y[i] = one_tanh::tanh_of<kFused>(x[i]);
    }
}

void run_base(const float* x, float* y, std::size_t count) {
    run<false>(x, y, count);
}
void run_base(const double* x, double* y, std::size_t count) {
    run<false>(x, y, count);
}
TENON_SIMD_AVX2_FMA void run_avx2(const float* x, float* y, std::size_t count) {
    run<true>(x, y, count);
}
TENON_SIMD_AVX2_FMA void run_avx2(const double* x, double* y, std::size_t count) {
    run<true>(x, y, count);
}
TENON_SIMD_AVX512 void run_avx512(const float* x, float* y, std::size_t count) {
    run<true>(x, y, count);
}
TENON_SIMD_AVX512 void run_avx512(const double* x, double* y, std::size_t count) {
    run<true>(x, y, count);
}

template <class Real>
void choose(const Real* x, Real* y, std::size_t count, Level with) {
    switch (with) {
        case Level::kAvx512:
            return run_avx512(x, y, count);
        case Level::kAvx2:
            return run_avx2(x, y, count);
        case Level::kBase:
            return run_base(x, y, count);
    }
}

}  // namespace

void tanh(const float* x, float* y, std::size_t count, Level with) {
    choose(x, y, count, with);
}

void tanh(const double* x, double* y, std::size_t count, Level with) {
    choose(x, y, count, with);
}

}  // namespace tenon::simd
