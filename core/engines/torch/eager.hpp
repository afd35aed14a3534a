// SPDX-License-Identifier: Apache-2.0
// Computes nodes on a sample batch as soon as they are added.
#pragma once

#include <memory>

#include "compute/exec/reference_module.hpp"

namespace tenon::reference {

std::unique_ptr<EagerEvaluator> make_eager(DType real, const SampleBatch& sample, Learner& learner);

}  // namespace tenon::reference
