// SPDX-License-Identifier: Apache-2.0
#include "learn/schedule.hpp"

#include <algorithm>

namespace tenon {

double value_at(const Schedule& schedule, double elapsed) {
    if (!schedule.linear) {
        return schedule.from;
    }
    if (elapsed >= schedule.length) {
        return schedule.to;
    }
    return schedule.from + (schedule.to - schedule.from) * (std::max(elapsed, 0.0) / schedule.length);
}

void apply(std::span<const Schedule> schedules, double frames, double updates, std::span<double> live) {
    for (const Schedule& schedule : schedules) {
        live[schedule.index] = value_at(schedule, schedule.by_updates ? updates : frames);
    }
}

}  // namespace tenon
