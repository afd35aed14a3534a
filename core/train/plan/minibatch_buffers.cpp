// SPDX-License-Identifier: Apache-2.0
#include "train/plan/minibatch_buffers.hpp"

#include <algorithm>

namespace tenon {

std::vector<const BufferPlan*> minibatch_buffers(const Wiring& w, const ObjectivePlan& plan) {
    std::vector<const BufferPlan*> out;
    for (const BatchPlan& batch : plan.batches) {
        if (!batch.buffer) {
            continue;
        }
        const BufferPlan& buffer = w.buffers[*batch.buffer];
        if (buffer.mixed.empty()) {
            out.push_back(&buffer);
        }
        for (const std::size_t part : buffer.mixed) {
            out.push_back(&w.buffers[part]);
        }
    }
    return out;
}

const BufferPlan* prefetching_buffer(const Wiring& w, const ObjectivePlan& plan) {
    const std::vector<const BufferPlan*> buffers = minibatch_buffers(w, plan);
    const auto asks = [](const BufferPlan* buffer) { return buffer->table->prefetch.value_or(false); };
    const auto asking = std::ranges::find_if(buffers, asks);
    return asking == buffers.end() ? nullptr : *asking;
}

}  // namespace tenon
