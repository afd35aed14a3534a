// SPDX-License-Identifier: Apache-2.0
// Kernels of authors' own are held against what they say of themselves before the first results of a program count:
// against the body of the node where it has one, otherwise backward against differences of forward.
#pragma once

#include <memory>

#include "exec/program.hpp"

namespace tenon {

// Programs with fused nodes are tried at their first call, which changes nothing; what is wrong with one is its
// problem. All others are those of `inner`.
std::unique_ptr<Executor> make_trusting(std::unique_ptr<Executor> inner, DType real);

}  // namespace tenon
