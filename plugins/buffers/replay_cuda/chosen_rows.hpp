// SPDX-License-Identifier: Apache-2.0
// What the kernels of this plugin are given by its samplers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ring.cuh"
#include "tenon/device_memory.hpp"
#include "tenon/sampler.hpp"
#include "uniform.cuh"

// The number of real steps is the last column.
inline Rows rows_of(const tn_device_sample_call& call, std::uint32_t steps, std::size_t column) {
    return {.slot = call.slot,
            .lane = call.lane,
            .steps_taken = steps > 1 ? static_cast<float*>(call.columns[column]) : nullptr,
            .count = call.rows,
            .steps = steps};
}

inline Ring ring_of(const tn_device_sample_call& call, std::uint32_t slots, std::uint32_t lanes) {
    return {.first = call.first,
            .count = call.count,
            .terminated = call.terminated,
            .truncated = call.truncated,
            .slots = slots,
            .lanes = lanes};
}

// The largest number of threads of a block, a power of two. It never changes a result; on the emulated device each
// thread costs time.
inline std::uint32_t threads_for(const tn_device& device) {
    return device.device_type == TN_DEVICE_EMULATED ? 32 : kThreads;
}

// Blocks of as many threads as there are rows, up to most; a multiple of a warp.
struct Grid {
    std::uint32_t blocks;
    std::uint32_t threads;
};
inline Grid grid_for(std::uint32_t rows, std::uint32_t most) {
    const std::uint32_t threads = std::min((rows + 31) / 32 * 32, most);
    return {(rows + threads - 1) / threads, threads};
}

[[noreturn]] inline void refuse_cpu() {
    throw tenon::Unavailable("replay_cuda chooses rows on a device: set run.device = \"cuda\"");
}
