// SPDX-License-Identifier: Apache-2.0
// One program for batches whose size changes every time, for example rounds of whole episodes. It is made for the
// largest size of a span. Before each run, every number that depends on the size (shapes, strides, offsets, counts) is
// set to that of a program for exactly this size, so that the results are bit-identical.
#pragma once

#include <memory>

#include "engines/compiled/specialised.hpp"

namespace tenon::compiled {

// The span of sizes that one program may serve, given the previous sizes `other`: less than a factor of 2 in rows.
// `along` is null if more than one size differs, if there are few rows, or if no other size fits.
Span span_around(const Sizes& sizes, const Sizes& other);

// All sizes that a batch may have, except those with few rows. `along` is null if these sizes are not among them.
Span span_up_to(const Sizes& sizes, const Varying& varying);

// Makes a program that serves the span. The problem is that its operations or their order depend on the size, or that
// its numbers are not linear in the size.
Result<std::unique_ptr<Specialised>> specialise_for(Request request, const Span& span);

// Whether the program serves these sizes after resize.
bool serves(const Specialised& program, const Sizes& sizes);
Status resize(Specialised& program, const Sizes& sizes);

}  // namespace tenon::compiled
