// SPDX-License-Identifier: Apache-2.0
// Attention over rows that hold all heads next to each other, and its gradient.
#pragma once

#include <cstdint>

#include "engines/torch/kernel.hpp"

namespace tenon::reference {

at::Tensor attention(const Frame& k, Inputs in, std::int64_t heads, std::int64_t causal, std::int64_t window,
                     double scale);
at::Tensor attention_gradient(const Frame& k, Inputs in, std::int64_t heads, std::int64_t causal, std::int64_t window,
                              double scale, std::int64_t wanted, std::int64_t over_time);

}  // namespace tenon::reference
