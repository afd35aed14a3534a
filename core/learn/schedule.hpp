// SPDX-License-Identifier: Apache-2.0
// Numeric options that change while a run goes on. All live values of a run stand in one array; a schedule owns one
// place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

enum class ScheduleKind { kConstant, kLinear, kCosine, kExponential, kStep };

// Times are frames or updates from the beginning of the run.
struct SchedulePiece {
    ScheduleKind kind = ScheduleKind::kLinear;
    double from = 0;  // at begin
    double to = 0;    // at end
    double begin = 0;
    double end = 0;
    double factor = 1;  // kStep: multiplied by this
    double every = 1;   // once in this time
};

struct Schedule {
    std::uint32_t index = 0;            // in the live values
    std::vector<SchedulePiece> pieces;  // in the order of their ends; not empty
    bool by_updates = false;
};

// What the piece comes to between its ends.
double value_at(const SchedulePiece& piece, double time);

// That of the first piece which has not ended; once all have, where the last one went to.
double value_at(const Schedule& schedule, double time);

void apply(std::span<const Schedule> schedules, double frames, double updates, std::span<double> live);

}  // namespace tenon
