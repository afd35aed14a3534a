// SPDX-License-Identifier: Apache-2.0
// The buffers from which an objective's minibatches come.
#pragma once

#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

// Those of a mixture in place of the mixture.
std::vector<const BufferPlan*> minibatch_buffers(const Wiring& wiring, const ObjectivePlan& plan);

// The first that has its minibatches prepared while an update is made; null if none has.
const BufferPlan* prefetching_buffer(const Wiring& wiring, const ObjectivePlan& plan);

}  // namespace tenon
