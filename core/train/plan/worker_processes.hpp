// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes and policy are in worker processes (collector.kind = "processes").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/problem.hpp"
#include "experience/env/lanes.hpp"

namespace tenon {

struct Wiring;

// The number of processes. It does not depend on the machine, because what is collected depends on it.
std::uint32_t worker_count(const Wiring& wiring);

// The run as each of the workers sees it: with its share of the lanes, which it steps in turn with learning, as if it
// learnt. The first one has the seed of the run, the others one of their own: so a single worker makes the frames of
// collector.kind = "async".
std::vector<std::string> worker_manifests(const Wiring& wiring);

// Reports what worker processes cannot be combined with. Requires the programs that act. `like` are lanes of the env.
void check_workers(const Wiring& wiring, const Lanes& like, Problems& problems);

}  // namespace tenon
