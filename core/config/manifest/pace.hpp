// SPDX-License-Identifier: Apache-2.0
// The unit of a run's length, evaluations, records and checkpoints. A run that collects counts frames. A run that only
// learns from another run's frames (train.total_updates) collects none and counts updates.
#pragma once

#include <cstdint>

#include "config/manifest/manifest.hpp"

namespace tenon {

inline bool only_learns(const Manifest& manifest) {
    return manifest.train.total_updates.has_value();
}

// "frame" or "update".
inline const char* unit_of(const Manifest& manifest) {
    return only_learns(manifest) ? "update" : "frame";
}

// The key of the run's length: "run.total_frames" or "train.total_updates".
inline const char* length_key(const Manifest& manifest) {
    return only_learns(manifest) ? "train.total_updates" : "run.total_frames";
}

inline std::int64_t run_length(const Manifest& manifest) {
    return only_learns(manifest) ? *manifest.train.total_updates : manifest.run.total_frames.value_or(0);
}

// The interval of [eval], [log] or [checkpoint] in that unit; 0: never.
template <class Table>
std::int64_t every(const Table& table) {
    return table.every_updates ? *table.every_updates : table.every_frames.value_or(0);
}

// In a run that only learns, reports missing tables and moves the defaults of every_frames to every_updates.
void complete_pace(Manifest& manifest, Problems& problems);

}  // namespace tenon
