// SPDX-License-Identifier: Apache-2.0
#include "train/plan/buffer_plan.hpp"

#include <algorithm>
#include <cmath>

#include "train/plan/wiring.hpp"

namespace tenon {

// Rounds the ends of the parts rather than their sizes, so that the sizes add up.
std::vector<std::uint32_t> rows_of_mixture(const BufferTable& mixture, std::int64_t rows) {
    std::vector<std::uint32_t> out;
    double fraction = 0;
    std::int64_t end = 0;
    for (std::size_t i = 0; i < mixture.mix.size(); ++i) {
        fraction += mixture.mix[i].fraction;
        const std::int64_t begin = end;
        end = i + 1 == mixture.mix.size() ? rows : std::llround(fraction * static_cast<double>(rows));
        out.push_back(static_cast<std::uint32_t>(end - begin));
    }
    return out;
}

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
