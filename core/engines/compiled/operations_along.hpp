// SPDX-License-Identifier: Apache-2.0
// Sorting along the last size, and scattering elements by indices.
#pragma once

#include "engines/compiled/tape.hpp"

namespace tenon::compiled {

void run_argsort(const Op& op, DType real, const Memory& memory);
void run_put(const Op& op, DType real, const Memory& memory);
void run_put_along(const Op& op, DType real, const Memory& memory);

}  // namespace tenon::compiled
