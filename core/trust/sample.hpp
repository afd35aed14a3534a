// SPDX-License-Identifier: Apache-2.0
// What a fused node is given in a call of its program.
#pragma once

#include <vector>

#include "exec/fused_call.hpp"
#include "exec/fused_nodes.hpp"
#include "exec/program.hpp"

namespace tenon {

struct FusedSample {
    FusedUse use;
    FusedShapes shapes;                     // as the kernel sees them
    std::vector<std::vector<double>> in;    // as the graph has them
    std::vector<std::vector<double>> seen;  // as the kernel sees them
};

// In the order of the uses. Computed by a program of the executor that changes nothing.
Result<std::vector<FusedSample>> sample_fused(Executor& executor, const ProgramSpec& spec, Learner& learner,
                                              const Call& call, const std::vector<FusedUse>& uses);

}  // namespace tenon
