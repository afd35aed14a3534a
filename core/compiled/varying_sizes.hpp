// SPDX-License-Identifier: Apache-2.0
// One program for batches whose size changes each time, such as rounds of whole episodes. It is made for the largest of
// a span of sizes. Before a run, each of its numbers that depends on the size (shapes, strides, places, counts) is set
// to what a program for that size alone has, so that its results are the same bits.
#pragma once

#include <memory>

#include "compiled/specialised.hpp"

namespace tenon::compiled {

// The sizes around these that one program may serve, where `other` are those that there have been before: from one
// number of rows to less than twice as many. `along` is null where more than one size differs, there are few rows, or
// no other size fits.
Span span_around(const Sizes& sizes, const Sizes& other);

// A program that serves the span. The problem is that its operations or their order differ from size to size, or that
// its numbers are not linear in the size.
Result<std::unique_ptr<Specialised>> specialise_for(Request request, const Span& span);

// Whether it serves these sizes, after resize.
bool serves(const Specialised& program, const Sizes& sizes);
Status resize(Specialised& program, const Sizes& sizes);

}  // namespace tenon::compiled
