// SPDX-License-Identifier: Apache-2.0
// A program that libtorch computes: without stages one without gradients, otherwise a whole update with gradients by
// its autograd, on the device of `placement`.
#pragma once

#include <memory>
#include <vector>

#include "compute/exec/reference_module.hpp"
#include "engines/torch/placement.hpp"

namespace tenon::reference {

Result<std::unique_ptr<Program>> make_program(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real,
                                              Learner& learner, PrintLine print, Placement placement);

}  // namespace tenon::reference
