// SPDX-License-Identifier: Apache-2.0
// Several steps in place of one: each row has so many index arrays, the first step and those after it. They stay at the
// last one where the episode ends, or where nothing younger is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tenon/sampler.hpp"

// What an objective then finds: all rewards as next.rewards, what the last step led to under next., the number of real
// steps as the last column of the plan.
inline tenon::SamplerPlan with_steps(tenon::SamplerPlan plan, std::uint32_t steps) {
    if (steps > 1) {
        plan.arrays = steps;
        plan.gathers.push_back({.source = "next.reward", .target = "next.rewards", .array = 0, .count = steps});
        plan.gathers.push_back({.source = "next.*", .array = steps - 1});
        plan.columns.push_back({.key = "steps"});
    }
    return plan;
}

// Of a row that starts at `first`; `real` has a place a row where there are several steps.
inline void set_steps(const tenon::Transitions& buffer, const tenon::SampleRows& rows, std::uint32_t row,
                      tenon::SlotLane first, std::uint32_t steps, std::span<float> real) {
    rows.set(row, first);
    if (steps == 1) {
        return;
    }
    std::uint32_t taken = 1;
    tenon::SlotLane at = first;
    for (std::uint32_t array = 1; array < steps; ++array) {
        if (taken == array && !buffer.ends_episode(at) && !buffer.is_youngest(at)) {
            at = buffer.after(at);
            ++taken;
        }
        rows.set(row, at, array);
    }
    real[row] = static_cast<float>(taken);
}
