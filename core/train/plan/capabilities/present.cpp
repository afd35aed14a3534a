// SPDX-License-Identifier: Apache-2.0
#include "train/plan/capabilities/present.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "train/plan/wiring.hpp"

namespace tenon {

void add_collector_parts(const Wiring& w, PresentParts& parts) {
    const Place kind = place_of(w.manifest, "collector.kind");
    if (w.pools()) {
        parts.push_back({.feature = Feature::kPool, .subject = "collector.kind = \"pool\"", .place = kind});
    }
    if (w.collects_in_processes()) {
        parts.push_back({.feature = Feature::kProcesses, .subject = "collector.kind = \"processes\"", .place = kind});
    }
    if (w.manifest.collector && w.manifest.collector->record) {
        parts.push_back({.feature = Feature::kRecord,
                         .subject = "collector.record",
                         .place = place_of(w.manifest, "collector.record")});
    }
}

void add_task_parts(const Wiring& w, PresentParts& parts) {
    if (!w.parts.training.tasks.empty()) {
        parts.push_back({.feature = Feature::kTasks,
                         .subject = "[[env.tasks]]",
                         .place = w.parts.training.tasks.front().table->place});
    }
}

void add_env_parts(const Wiring& w, const Lanes& lanes, PresentParts& parts) {
    if (const Result<std::uint32_t> later = lanes.answers_later(); !later) {
        parts.push_back({.feature = Feature::kUsualEnv,
                         .subject = lanes.name(),
                         .place = w.parts.training.env.table->place,
                         .clause = later.error().sentence});
    }
    for (const std::string& name : lanes.commons()) {
        const std::vector<Part>& transforms = w.parts.training.transforms;
        const auto part = std::ranges::find_if(transforms, [&](const Part& p) { return p.info.name == name; });
        parts.push_back({.feature = Feature::kCommonTransform,
                         .subject = name,
                         .place = part == transforms.end() ? Place() : part->table->place});
    }
}

void add_acting_parts(const Wiring& w, PresentParts& parts) {
    if (w.procedure != nullptr) {
        parts.push_back(
            {.feature = Feature::kProcedure, .subject = w.procedure->info.name, .place = w.procedure->table->place});
    }
    if (w.manifest.parameter_noise) {
        parts.push_back({.feature = Feature::kParameterNoise,
                         .subject = "[parameter_noise]",
                         .place = place_of(w.manifest, "parameter_noise")});
    }
    if (!w.manifest.hooks.empty()) {
        parts.push_back({.feature = Feature::kHooks, .subject = "[[hooks]]", .place = place_of(w.manifest, "hooks")});
    }
}

namespace {

PresentParts collecting_parts(const Wiring& wiring, const Lanes& lanes) {
    PresentParts parts;
    add_collector_parts(wiring, parts);
    add_task_parts(wiring, parts);
    add_env_parts(wiring, lanes, parts);
    add_acting_parts(wiring, parts);
    add_buffer_parts(wiring, parts);
    return parts;
}

}  // namespace

void check_collecting_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems) {
    PresentParts parts = collecting_parts(wiring, lanes);
    add_device_parts(wiring, parts);
    refuse_combinations(parts, problems);
}

void check_all_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems) {
    PresentParts parts = collecting_parts(wiring, lanes);
    add_objective_parts(wiring, parts);
    refuse_combinations(parts, problems);
}

}  // namespace tenon
