// SPDX-License-Identifier: Apache-2.0
// What a worker process begins with that steps lanes of another one.
#pragma once

#include "train/plan/source_kind.hpp"

namespace tenon {

// Wires the manifest, and makes what acts.
Result<LaneRun> open_lane_run(TomlTable manifest);

}  // namespace tenon
