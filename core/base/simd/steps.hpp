// SPDX-License-Identifier: Apache-2.0
// The inputs of estimators of sequences, as plain data.
#pragma once

#include <cstdint>

namespace tenon::simd {

// The extents of dense memory.
struct Extents {
    std::int64_t outer = 1;
    std::int64_t steps = 0;
    std::int64_t inner = 1;
};

// The inputs of estimators; flags are 0 or 1. Null for inputs that the estimator does not use.
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

}  // namespace tenon::simd
