// SPDX-License-Identifier: Apache-2.0
// The order of elements along the last size, and elements put there by indices.
#pragma once

#include "compiled/tape.hpp"

namespace tenon::compiled {

void run_argsort(const Op& op, DType real, const Memory& memory);
void run_put_along(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
