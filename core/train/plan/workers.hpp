// SPDX-License-Identifier: Apache-2.0
// How lanes are shared out: among worker processes, each with the policy (collector.kind = "processes"), or to a pool.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

struct Wiring;

// The commands that start the processes on other machines (collector.via), each as its words; none: workers are on this
// machine. A problem: one cannot be read, or its program does not exist.
Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest);

// The run's manifest for a worker: with its share of the lanes, and with lanes that step in turn with learning, as if
// the worker learnt.
std::string worker_manifest(const Wiring& wiring);

// The number of processes. It does not depend on the machine, because a checkpoint has the state of each of them.
std::uint32_t worker_count(const Wiring& wiring);

// The number of lanes that a pool waits for.
std::uint32_t lanes_to_wait_for(const Wiring& wiring);

// Whether these numbers have an effect and fit the number of lanes.
void check_lane_counts(const Wiring& wiring, Problems& problems);

}  // namespace tenon
