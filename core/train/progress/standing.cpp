// SPDX-License-Identifier: Apache-2.0
#include "train/progress/standing.hpp"

#include "config/manifest/pace.hpp"

namespace tenon {

std::int64_t position_of(const Manifest& manifest, const Standing& standing) {
    return only_learns(manifest) ? standing.updates : standing.frames;
}

std::string at_frame(const Standing& standing) {
    return " (frame " + std::to_string(standing.frames) + ")";
}

void move_schedules(const LivePlan& plan, const Standing& standing, std::span<double> live) {
    apply(plan.schedules, static_cast<double>(standing.frames), static_cast<double>(standing.updates), live);
    for (std::size_t i = 0; i < std::min(standing.moved.size(), plan.moved.size()); ++i) {
        live[plan.moved[i].index] = standing.moved[i];
    }
}

std::vector<double> live_at(const LivePlan& plan, const Standing& standing) {
    std::vector<double> out = plan.values;
    move_schedules(plan, standing, out);
    return out;
}

RunNumbers numbers_at(const Wiring& wiring, const Standing& standing, std::span<const double> live) {
    const double length = static_cast<double>(run_length(wiring.manifest));
    const auto position = static_cast<double>(position_of(wiring.manifest, standing));
    return {.live = live,
            .frames = static_cast<double>(standing.frames),
            .updates = static_cast<double>(standing.updates),
            .progress = std::min(position / length, 1.0)};
}

std::int64_t steps_of_round(const Manifest& manifest) {
    return manifest.train.batch / manifest.env.lanes;
}

}  // namespace tenon
