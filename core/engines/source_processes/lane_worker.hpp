// SPDX-License-Identifier: Apache-2.0
// A worker process that collects: lanes, and the policy that acts in them (collector.kind = "processes"). The trainer's
// side is workers_source.hpp.
#pragma once

#include "train/plan/source_kind.hpp"

namespace tenon {

// Steps lanes as the trainer orders, in the shared memory of this descriptor, until the trainer wants no more steps or
// has ended. Returns the exit code.
int serve_lanes(int descriptor, OpenLaneRun open);

}  // namespace tenon
