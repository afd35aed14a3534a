// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes step by themselves, as they are ready (collector.kind = "pool").
#pragma once

#include <cstdint>

#include "base/error/problem.hpp"
#include "experience/env/lanes.hpp"

namespace tenon {

struct Wiring;

// The number of lanes that a pool waits for.
std::uint32_t lanes_to_wait_for(const Wiring& wiring);

// Asks the env how its lanes step, and reports what a pool cannot be combined with. Requires the buffers and objectives
// to be wired.
void wire_pool(Wiring& wiring, const Lanes& lanes, Problems& problems);

}  // namespace tenon
