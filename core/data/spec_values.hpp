// SPDX-License-Identifier: Apache-2.0
// Values of a spec: drawing them, forcing them in, asking whether they are. A row is dense and of the spec's shape.
#pragma once

#include <cstdint>

#include "data/spec.hpp"
#include "tenon/abi/random.h"

namespace tenon {

// Draws a row: uniform between two finite bounds, exponential away from a single one, standard normal where there is
// none (whole numbers: the whole range of the dtype). A function of key and counter alone; it takes the blocks counter
// .. counter + elements - 1 of the stream.
void draw(const Spec& spec, tn_key key, std::uint64_t counter, void* row);

// Moves a row to the nearest one that the spec contains: bounds clamp, indices clamp, one-hot takes the largest
// element, binary rounds. What is not a number becomes 0 first.
void project(const Spec& spec, void* row);

bool contains(const Spec& spec, const void* row);

// All zeros, or what project makes of them.
void zero(const Spec& spec, void* row);

}  // namespace tenon
