// SPDX-License-Identifier: Apache-2.0
// The transitions of a buffer as kernels see them, and the rows that they choose.
#pragma once

#include <cstdint>

#include "tenon/emulated.hpp"

struct Ring {
    const std::uint32_t* first;      // [lanes]
    const std::uint32_t* count;      // [lanes]
    const std::uint8_t* terminated;  // [slots][lanes]
    const std::uint8_t* truncated;   // [slots][lanes]
    std::uint32_t slots;
    std::uint32_t lanes;
};

struct Rows {
    std::uint32_t* slot;  // [steps][count]
    std::uint32_t* lane;
    float* steps_taken;  // [count]; null if there is one step
    std::uint32_t count;
    std::uint32_t steps;
};

__device__ inline std::uint32_t slot_at(const Ring& ring, std::uint32_t lane, std::uint32_t age) {
    const std::uint64_t slot = static_cast<std::uint64_t>(ring.first[lane]) + age;
    return static_cast<std::uint32_t>(slot < ring.slots ? slot : slot - ring.slots);
}

__device__ inline bool goes_on(const Ring& ring, std::uint32_t slot, std::uint32_t lane) {
    const std::uint64_t at = static_cast<std::uint64_t>(slot) * ring.lanes + lane;
    return (ring.terminated[at] | ring.truncated[at]) == 0 && slot != slot_at(ring, lane, ring.count[lane] - 1);
}

// Writes a row that begins at this slot of the lane, and its later steps. If the episode ends early, these repeat its
// last step.
__device__ inline void set_row(const Ring& ring, const Rows& rows, std::uint32_t row, std::uint32_t slot,
                               std::uint32_t lane) {
    std::uint32_t taken = 1;
    for (std::uint32_t step = 0; step < rows.steps; ++step) {
        if (step > 0 && taken == step && goes_on(ring, slot, lane)) {
            slot = slot + 1 < ring.slots ? slot + 1 : 0;
            ++taken;
        }
        rows.slot[static_cast<std::uint64_t>(step) * rows.count + row] = slot;
        rows.lane[static_cast<std::uint64_t>(step) * rows.count + row] = lane;
    }
    if (rows.steps > 1) {
        rows.steps_taken[row] = static_cast<float>(taken);
    }
}
