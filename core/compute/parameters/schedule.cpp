// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tenon {

double value_at(const SchedulePiece& piece, double time) {
    if (time >= piece.end) {
        return piece.to;
    }
    const double passed = std::max(time - piece.begin, 0.0);
    const double part = passed / (piece.end - piece.begin);
    switch (piece.kind) {
        case ScheduleKind::kLinear:
            return piece.from + (piece.to - piece.from) * part;
        case ScheduleKind::kCosine:
            return piece.to + (piece.from - piece.to) * (0.5 + 0.5 * std::cos(std::numbers::pi * part));
        case ScheduleKind::kExponential:
            return piece.from * std::pow(piece.to / piece.from, part);
        case ScheduleKind::kStep:
            return piece.from * std::pow(piece.factor, std::floor(passed / piece.every));
        case ScheduleKind::kConstant:
            break;
    }
    return piece.from;
}

double value_at(const Schedule& schedule, double time) {
    const auto open = std::find_if(schedule.pieces.begin(), schedule.pieces.end(),
                                   [&](const SchedulePiece& piece) { return time < piece.end; });
    return value_at(open == schedule.pieces.end() ? schedule.pieces.back() : *open, time);
}

void apply(std::span<const Schedule> schedules, double frames, double updates, std::span<double> live) {
    for (const Schedule& schedule : schedules) {
        live[schedule.index] = value_at(schedule, schedule.by_updates ? updates : frames);
    }
}

}  // namespace tenon
