// SPDX-License-Identifier: Apache-2.0
// The operations of a listing, by number; kernels on a device read them as well.
#pragma once

#include <cstdint>

namespace tenon::compiled {

enum class Code : std::uint8_t {
    // elementwise; inputs have the shape of the result
    kCopy,
// the ops whose `compiled` is "elementwise"
#include "engines/compiled/generated/codes.inc"
    kIntToReal,
    kBoolToReal,
    kBoolToInt,
    kRealToInt,
    kRealToBool,
    kIntToBool,
    kIsIndex,      // real: whether an int is the element's index along the last size
    kGelu,         // x / 2 * (1 + erf(x / sqrt 2))
    kElementwise,  // number of elementwise codes; not an operation
    // other operations
    kImport,  // of a port in another dtype, which is in `number`
    kSum,     // over the dimensions of size 1 in the result
    kMax,
    kMin,
    kArgmax,   // along the last size
    kGather,   // the element along the last size that an int selects
    kProduct,  // batched: [m, k] times [k, n], plus a row
    kDraw,
    kScanLinear,    // along the first size
    kLeastMembers,  // along the first size
    kPatches,       // im2col of [images, height, width, channels]: [images, places, window * channels]
    kUnpatch,       // its adjoint: copies of an element are summed
    kArgsort,       // along the last size; number 1: descending
    kPutAlong,      // along the last size: adds elements of the first input at the indices of the second
    kPut,        // writes the second input into the elements of its output's last size that the first, an int, selects
    kBits,       // the bytes of dense memory, for ints among the results of a scan, which are real
    kComposite,  // in one pass; inputs are dense
    kFused,      // an author's kernel; inputs are dense
    kNextRows,   // computes a value over next columns from the value over columns; both dense
    kAttention,  // query, key, value, and which keys are allowed
    // The same after the gradient of its result. Gives the gradients of the first three, contiguous.
    kAttentionGradient,
    kScan  // runs a body once per step; the results are contiguous in its output
};

// Applied to each element of a product before it is stored; `with` is the element at the same position of the product's
// last input.
enum class Tail : std::uint8_t {
    kNone,
    kRelu,           // reads no input
    kWherePositive,  // itself where `with` is above 0, else 0
    kTanhSlope,      // times 1 - with * with
    kTanh            // reads no input; in programs for a device, where another pass over memory costs more
};

constexpr bool reads_operand(Tail tail) {
    return tail == Tail::kWherePositive || tail == Tail::kTanhSlope;
}

}  // namespace tenon::compiled
