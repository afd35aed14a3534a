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
    double length = 1;  // over how many frames or updates it moves, from the first on
    bool by_updates = false;
};

// The value after so many of what it counts: linear between the ends, `to` afterwards.
double value_at(const Schedule& schedule, double elapsed);

void apply(std::span<const Schedule> schedules, double frames, double updates, std::span<double> live);

}  // namespace tenon
