// SPDX-License-Identifier: Apache-2.0
// A worker process that collects: lanes, and the policy that acts in them (collector.kind = "processes"). The trainer's
// side is train/collect/workers/worker_lanes.hpp.
#pragma once

namespace tenon {

// Steps lanes as the trainer orders, in the memory of this descriptor, until it wants no more or has ended. Returns the
// exit code.
int serve_lanes(int descriptor);

}  // namespace tenon
