// SPDX-License-Identifier: Apache-2.0
// Numeric options that change during a run. All live values of a run are in one array; a schedule writes one of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

enum class ScheduleKind { kConstant, kLinear, kCosine, kExponential, kStep };

// Times are frames or updates since the start of the run.
struct SchedulePiece {
    ScheduleKind kind = ScheduleKind::kLinear;
    double from = 0;  // at begin
    double to = 0;    // at end
    double begin = 0;
    double end = 0;
    double factor = 1;  // kStep: multiplies the value
    double every = 1;   // once per this time
};

struct Schedule {
    std::uint32_t index = 0;            // index of the live value
    std::vector<SchedulePiece> pieces;  // in the order of their ends; not empty
    bool by_updates = false;
};

// The value of the piece at a time between its ends.
double value_at(const SchedulePiece& piece, double time);

// The value of the first piece that has not ended; when all have ended, the final value of the last one.
double value_at(const Schedule& schedule, double time);

void apply(std::span<const Schedule> schedules, double frames, double updates, std::span<double> live);

}  // namespace tenon
