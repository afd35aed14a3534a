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
#define TENON_CODE(NAME, TEXT, RUN) NAME,
#include "engines/compiled/codes.inc"
#undef TENON_CODE
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
