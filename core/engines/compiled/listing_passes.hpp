// SPDX-License-Identifier: Apache-2.0
// Passes over a listing, before it becomes a tape. `pinned` are the buffers that are read after the run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/data/dtype.hpp"
#include "engines/compiled/ir.hpp"

namespace tenon::compiled {

// Replaces elementwise operations on constants by their results, bit for bit. `varies`: element counts are not
// constant, because the program serves several sizes.
void fold_constants(Listing& listing, DType real, bool varies);

// Imports a column of small integers, for example the bytes of an image, directly as reals if it is only read as real
// numbers. This saves the pass over the graph's integers.
void import_directly(Listing& listing, std::span<const std::uint32_t> pinned);

// Removes unread output columns of products and of sums over rows. For example, the gradient of concatenated values has
// columns of values that need no gradient.
void narrow_columns(Listing& listing, std::span<const std::uint32_t> pinned);

// Fuses an activation after a product, or the derivative of one, into the product: it is applied to each element before
// the product stores it, which saves a pass over memory. A tanh is a tail on a device only: the loops of the CPU
// compute many at a time.
void attach_tails(Listing& listing, DType real, std::span<const std::uint32_t> pinned, RunsOn where = RunsOn::kCpu);

// Sums and extremes of a few elements, as elementwise operations: one loop computes them together with their inputs and
// with what reads them. On a device, a pass over memory or a wait for other threads' results takes longer than such a
// sum. Writes out those that the CPU computes in order, so that the bits are the same.
void write_out_short_sums(Listing& listing);

// The elements at this index of the last size; the result has one size less.
View column_of(const View& view, std::int64_t number);

// Splits rows of a few elements, such as the logits of an env with few actions, into columns: an elementwise operation
// on [rows, columns] becomes one on [rows] for each column. A loop over rows can then compute it together with
// operations that have one number per row: a softmax, its sums and the loss that reads them are one loop instead of
// eight. On a device each loop costs a launch, or a wait for other blocks. Call it after write_out_short_sums.
void write_out_short_rows(Listing& listing, std::span<const std::uint32_t> pinned);

// Computes x / 2 * (1 + erf(x / sqrt 2)) by one function, with the same roundings, if nothing else reads its parts:
// five passes over a block become one. Gradients read them, so it serves acting, evaluations and frozen networks.
void join_gelus(Listing& listing, DType real, std::span<const std::uint32_t> pinned);

// Removes copies that only keep a value which nothing reads afterwards.
//
// A row is put into a copy of its value. If no operation after the copy reads the value, the operations that make the
// value write into the copy's memory instead, and the row is written in place. A value that a scan carries in place is
// copied back at the end of a step; this copy goes the same way.
void reuse_memory(Listing& listing, std::span<const std::uint32_t> pinned);

// Keeps packed weights between calls. A product needs its weights transposed and packed, and for few rows packing takes
// as long as the product. A program that changes no parameter, such as a policy that acts, packs them only once.
void keep_sides(Listing& listing, DType real);

// Stores the keys that a loop carries and writes in place transposed, as the attention of one query multiplies them.
// Otherwise attention transposes all keys in each step.
//
// Returns whether the buffer of the body, whose rows are contiguous, is now stored so. This requires that operations
// only put rows into it and attend to them as keys. The caller must then store its first value so as well (transposed).
bool store_transposed(Listing& body, std::uint32_t buffer);

// The view of rows, as they are stored then.
View transposed(View rows);

// The shape [.., width, keys] of keys [.., keys, width], with space for as many as attention reads together.
std::vector<std::int64_t> padded_keys(std::vector<std::int64_t> shape);

}  // namespace tenon::compiled
