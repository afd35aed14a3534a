// SPDX-License-Identifier: Apache-2.0
// Numeric options that change while a run goes on. All live values of a run stand in one array; a schedule owns one
// place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon {

struct Schedule {
    std::uint32_t index = 0;  // in the live values
    bool linear = true;       // otherwise constant
    double from = 0;
    double to = 0;
    double frames = 1;  // over how many frames it moves, from frame 0
};

// The value at `frames`: linear between the ends, `to` afterwards.
double value_at(const Schedule& schedule, double frames);

void apply(std::span<const Schedule> schedules, double frames, std::span<double> live);

}  // namespace tenon
