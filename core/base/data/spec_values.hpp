// SPDX-License-Identifier: Apache-2.0
// Values of a spec: drawing, projecting and checking them. A row is dense and has the spec's shape.
#pragma once

#include <cstdint>

#include "base/data/spec.hpp"
#include "tenon/abi/random.h"

namespace tenon {

// Draws a row: uniform between two finite bounds, exponential away from a single bound, standard normal without bounds
// (for integers: the whole range of the dtype). The result depends only on key and counter; it uses the blocks counter
// .. counter + elements - 1 of the stream.
void draw(const Spec& spec, tn_key key, std::uint64_t counter, void* row);

// Replaces a row by the nearest one that the spec contains: bounds and indices clamp, one-hot takes the largest
// element, binary rounds. NaN becomes 0 first.
void project(const Spec& spec, void* row);

bool contains(const Spec& spec, const void* row);

// Sets a row to zeros, projected into the spec.
void zero(const Spec& spec, void* row);

}  // namespace tenon
