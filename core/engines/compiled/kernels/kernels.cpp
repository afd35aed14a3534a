// SPDX-License-Identifier: Apache-2.0
#include "engines/compiled/kernels/kernels.hpp"

#include "base/simd/level.hpp"

namespace tenon::compiled {

#if defined(__x86_64__)
namespace avx512 {
const Kernels& of(DType real);
}
namespace avx2 {
const Kernels& of(DType real);
}
#endif
namespace baseline {
const Kernels& of(DType real);
}

const Kernels& kernels(DType real) {
    switch (simd::level()) {
#if defined(__x86_64__)
        case simd::Level::kAvx512:
            return avx512::of(real);
        case simd::Level::kAvx2:
            return avx2::of(real);
#endif
        default:
            return baseline::of(real);
    }
}

}  // namespace tenon::compiled
