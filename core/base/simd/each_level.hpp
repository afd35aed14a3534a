// SPDX-License-Identifier: Apache-2.0
// A loop compiled for each level without fused multiply-add: if its file is compiled with -ffp-contract=off, all levels
// give the same bits.
#pragma once

#include "base/simd/level.hpp"

namespace tenon::simd {

// kLoop is marked with TENON_SIMD_INLINE, so that each of these contains its own copy.
template <auto kLoop>
struct EachLevel {
    template <class... Arguments>
    static auto base(Arguments... arguments) {
        return kLoop(arguments...);
    }
    template <class... Arguments>
    TENON_SIMD_AVX2 static auto avx2(Arguments... arguments) {
        return kLoop(arguments...);
    }
    template <class... Arguments>
    TENON_SIMD_AVX512 static auto avx512(Arguments... arguments) {
        return kLoop(arguments...);
    }
};

template <auto kLoop, class... Arguments>
auto at_level(Level with, Arguments... arguments) {
    switch (with) {
        case Level::kAvx512:
            return EachLevel<kLoop>::avx512(arguments...);
        case Level::kAvx2:
            return EachLevel<kLoop>::avx2(arguments...);
        case Level::kBase:
            return EachLevel<kLoop>::base(arguments...);
    }
    __builtin_unreachable();
}

// Calls the version for this machine.
template <auto kLoop, class... Arguments>
auto at_best_level(Arguments... arguments) {
    return at_level<kLoop>(level(), arguments...);
}

}  // namespace tenon::simd
