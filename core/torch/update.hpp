// SPDX-License-Identifier: Apache-2.0
// A whole update: losses, their gradients by libtorch's autograd, and the steps of due stages.
#pragma once

#include <memory>

#include "exec/reference_module.hpp"

namespace tenon::reference {

Result<std::unique_ptr<Program>> make_update(const ProgramSpec& spec, std::vector<StagePlan> stages, DType real,
                                             Learner& learner, PrintLine print);

}  // namespace tenon::reference
