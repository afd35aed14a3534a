// SPDX-License-Identifier: Apache-2.0
// Computes nodes as they are added, on a sample batch.
#pragma once

#include <memory>

#include "exec/reference_module.hpp"

namespace tenon::reference {

std::unique_ptr<EagerEvaluator> make_eager(DType real, const SampleBatch& sample, Learner& learner);

}  // namespace tenon::reference
