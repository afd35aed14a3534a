// SPDX-License-Identifier: Apache-2.0
// Rows that are sequences: consecutive steps of one episode. Where the episode ends earlier, the last step is repeated,
// and a column `mask` says which steps are real.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tenon/sampler.hpp"

inline tenon::SamplerPlan plan_of_sequences(std::uint32_t length, bool masked) {
    tenon::SamplerPlan out{.gathers = {{.source = "*"}}, .time = length};
    if (masked) {
        out.columns.push_back({.key = "mask", .dtype = TN_BOOL});
    }
    return out;
}

// Sets the steps of a row from `at` on; `mask` is empty if nothing is repeated.
inline void set_sequence(const tenon::Transitions& buffer, const tenon::SampleRows& rows, std::uint32_t row,
                         tenon::SlotLane at, std::uint32_t length, std::span<bool> mask) {
    bool real = true;
    for (std::uint32_t step = 0; step < length; ++step) {
        rows.set_step(step, row, at);
        if (!mask.empty()) {
            mask[rows.place(step, row)] = real;
        }
        real = real && buffer.goes_on(at);
        at = real ? buffer.after(at) : at;
    }
}

[[noreturn]] inline void throw_no_sequence(std::uint32_t length) {
    throw tenon::FailedPrecondition("the buffer holds no " + std::to_string(length) +
                                    " steps of one episode yet; collect more before the first update "
                                    "(train.start_frames), or use shorter sequences");
}
