// SPDX-License-Identifier: Apache-2.0
// Runs attention and its gradient, a head at a time.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

void run_attention(const Op& op, DType real, const Memory& memory);

std::size_t attention_scratch(const Op& op, DType real);

// How many multiplications the products of an attention have.
double attention_work(const Op& op);

}  // namespace tenon::compiled
