// SPDX-License-Identifier: Apache-2.0
#include "learn/schedule.hpp"

#include <algorithm>

namespace tenon {

double value_at(const Schedule& schedule, double frames) {
    if (!schedule.linear) {
        return schedule.from;
    }
    if (frames >= schedule.frames) {
        return schedule.to;
    }
    return schedule.from + (schedule.to - schedule.from) * (std::max(frames, 0.0) / schedule.frames);
}

void apply(std::span<const Schedule> schedules, double frames, std::span<double> live) {
    for (const Schedule& schedule : schedules) {
        live[schedule.index] = value_at(schedule, frames);
    }
}

}  // namespace tenon
