// SPDX-License-Identifier: Apache-2.0
// The buffers from which an objective's minibatches come.
#pragma once

#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

// The buffers; for a mixture, the buffers that it mixes.
std::vector<const BufferPlan*> minibatch_buffers(const Wiring& wiring, const ObjectivePlan& plan);

// The first buffer whose minibatches are prefetched; null if there is none.
const BufferPlan* prefetching_buffer(const Wiring& wiring, const ObjectivePlan& plan);

}  // namespace tenon
