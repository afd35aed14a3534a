// SPDX-License-Identifier: Apache-2.0
// The memory layout of a dense tensor along one of its dimensions.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "base/simd/estimators.hpp"

namespace tenon::reference {

simd::Extents extents_of(const at::Tensor& dense, std::int64_t time);

}  // namespace tenon::reference
