// SPDX-License-Identifier: Apache-2.0
// Finds the parts of a wired manifest that declare capabilities.
#pragma once

#include <string>
#include <utility>

#include "compute/parameters/network.hpp"
#include "config/manifest/manifest.hpp"
#include "experience/env/lanes.hpp"
#include "train/plan/capabilities/matcher.hpp"
#include "train/plan/objective_plan.hpp"
#include "train/plan/parts.hpp"

namespace tenon {

struct Wiring;

// A component as a part, and an objective; `clause`: as in Present.
inline Present part_of(Feature feature, const Part& part) {
    return {.feature = feature, .subject = part.info.name, .place = part.table->place};
}
inline Present part_of(Feature feature, const ObjectivePlan& plan, std::string clause = {}) {
    const graph::Unit& unit = plan.unit;
    return {.feature = feature, .subject = unit.component, .place = unit.place, .clause = std::move(clause)};
}
// Adds a key, with its value if that is not empty, or a table, whose path has no dot.
void add_key(const Manifest& manifest, PresentParts& parts, bool has, Feature feature, const std::string& path,
             const std::string& value = {});

// Adds whether the run collects and learns.
void add_pace_parts(const Manifest& manifest, PresentParts& parts);
// Adds the writer and the storage of a buffer.
void add_storage_parts(const Manifest& manifest, const BufferTable& buffer, PresentParts& parts);
void add_collector_parts(const Wiring& wiring, PresentParts& parts);
void add_task_parts(const Wiring& wiring, PresentParts& parts);
void add_env_parts(const Wiring& wiring, const Lanes& lanes, PresentParts& parts);
void add_acting_parts(const Wiring& wiring, PresentParts& parts);
void add_buffer_parts(const Wiring& wiring, PresentParts& parts);
void add_objective_parts(const Wiring& wiring, PresentParts& parts);
void add_shard_parts(const Wiring& wiring, PresentParts& parts);
void add_device_parts(const Wiring& wiring, PresentParts& parts);

// Adds where the lanes are stepped, in a run whose device does not step them.
void add_lane_parts(const Wiring& wiring, PresentParts& parts);

// Adds the parts that keep columns in the host's memory: the env, the executor and the buffers; acting; updates, and
// other programs of objectives. Programs are lowered to find out.
void add_host_parts(const Wiring& wiring, const Lanes& lanes, PresentParts& parts);
void add_host_acting(const Wiring& wiring, const Learner& learner, PresentParts& parts);
void add_host_objectives(const Wiring& wiring, PresentParts& parts);
void add_host_programs(const Wiring& wiring, const Learner& learner, PresentParts& parts);

// Checks parts that the manifest alone gives, before any component is found.
void check_given_parts(const Manifest& manifest, Problems& problems);

// Checks parts that act and collect, which are known before objectives are wired.
void check_collecting_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems);

// Checks all parts. Requires complete plans of buffers and objectives.
void check_all_parts(const Wiring& wiring, const Lanes& lanes, Problems& problems);

}  // namespace tenon
