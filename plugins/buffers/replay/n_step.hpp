// SPDX-License-Identifier: Apache-2.0
// Several steps per row: each row has one index array for the first step and one for each later step. The later indices
// stay at the last step where the episode ends, or where the lane holds no newer step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/sampler.hpp"

// The steps of a row after its first.
[[gnu::noinline]] inline void set_later_steps(const tenon::Transitions& buffer, const tenon::SampleRows& rows,
                                              std::uint32_t row, tenon::SlotLane first, std::uint32_t steps,
                                              std::span<float> real) {
    std::uint32_t taken = 1;
    tenon::SlotLane at = first;
    for (std::uint32_t array = 1; array < steps; ++array) {
        if (taken == array && buffer.goes_on(at)) {
            at = buffer.after(at);
            ++taken;
        }
        rows.set(row, at, array);
    }
    real[row] = static_cast<float>(taken);
}

// Sets a row that starts at `first`; `real` has one element per row if there are several steps. Small, so that it is
// inlined: most rows have one step.
inline void set_steps(const tenon::Transitions& buffer, const tenon::SampleRows& rows, std::uint32_t row,
                      tenon::SlotLane first, std::uint32_t steps, std::span<float> real) {
    rows.set(row, first);
    if (steps > 1) {
        set_later_steps(buffer, rows, row, first, steps, real);
    }
}
