// SPDX-License-Identifier: Apache-2.0
// A program without gradients: acting, preparing a batch.
#pragma once

#include <memory>

#include "exec/reference_module.hpp"

namespace tenon::reference {

Result<std::unique_ptr<Program>> make_forward(const ProgramSpec& spec, DType real, Learner& learner, PrintLine print);

}  // namespace tenon::reference
