// SPDX-License-Identifier: Apache-2.0
// Objectives with kernels of their own, right ones and wrong ones.
#pragma once

#include <cstdint>

#include "authors.hpp"

namespace tenon::test {

// All but two learn from two outputs of a kernel of x = "net".value and a number s: s x^2 and x^3.
//
//     OpByOp          the same in ordinary nodes; the kernels: Body with them as its body, Secret without
//     WrongBackward, WrongSecret, WrongForward, OnlyDouble, Fails, NoBackward, Unknown, TwoInputs, ThreeOutputs,
//     Reads (its body a column), NoSizes, Scans
//     Image, WrongImage      a body that has no compiled form
//     Kinked, KinkedSecret   max(x, 0), its gradient at 0 not that of the op
//
// Null: there is none of that name.
Author fused_author(const char* name);

// The line on which they name their kernel.
std::uint32_t line_of_kernel();

}  // namespace tenon::test
