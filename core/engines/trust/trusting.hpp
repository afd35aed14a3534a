// SPDX-License-Identifier: Apache-2.0
// Verifies authors' kernels before the first results of a program count: against the body of the node if it has one,
// otherwise backward against finite differences of forward.
#pragma once

#include <memory>

#include "compute/exec/program.hpp"

namespace tenon {

// Verifies programs with fused nodes at their first call, without side effects; a failed verification is the problem of
// that call. All other programs are those of `inner`.
std::unique_ptr<Executor> make_trusting(std::unique_ptr<Executor> inner, DType real);

}  // namespace tenon
