// SPDX-License-Identifier: Apache-2.0
// How many lanes a pool waits for (collector.ready), and how many processes share them (collector.workers).
#pragma once

#include <cstdint>

#include "base/error/problem.hpp"

namespace tenon {

struct Wiring;

// The number of processes. It does not depend on the machine, because a checkpoint has the state of each of them.
std::uint32_t worker_count(const Wiring& wiring);

// The number of lanes that a pool waits for.
std::uint32_t lanes_to_wait_for(const Wiring& wiring);

// Whether these numbers have an effect and fit the number of lanes.
void check_lane_counts(const Wiring& wiring, Problems& problems);

}  // namespace tenon
