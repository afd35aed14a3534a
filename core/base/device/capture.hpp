// SPDX-License-Identifier: Apache-2.0
// Captures what is enqueued on a CUDA device as a graph, and runs it then. While a capture lasts, the driver refuses
// waits, allocations and the default stream, and the graph with them: so a check learns of calls that go around this
// host.
#pragma once

#include "base/device/device.hpp"

namespace tenon {

// From now on work is captured, on a stream of its own that the device's stream stands for.
tn_status begin_capture(Device& device);

// Runs what was captured. A failure, with the device's sentence, if it cannot be a graph.
tn_status run_captured(Device& device);

}  // namespace tenon
