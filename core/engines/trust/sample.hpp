// SPDX-License-Identifier: Apache-2.0
// The inputs of a fused node in a call of its program.
#pragma once

#include <vector>

#include "compute/exec/fused_call.hpp"
#include "compute/exec/fused_nodes.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

struct FusedSample {
    FusedUse use;
    FusedShapes shapes;                     // for the kernel
    std::vector<std::vector<double>> in;    // in the graph's dimensions
    std::vector<std::vector<double>> seen;  // in the kernel's dimensions
};

// The samples in the order of the uses. A program of the executor computes them without side effects.
Result<std::vector<FusedSample>> sample_fused(Executor& executor, const ProgramSpec& spec, Learner& learner,
                                              const Call& call, const std::vector<FusedUse>& uses);

}  // namespace tenon
