// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes and policy are in worker processes (collector.kind = "processes").
#pragma once

#include <string>
#include <vector>

namespace tenon {

struct Wiring;

// The run as each of the workers sees it: with its share of the lanes, which it steps in turn with learning, as if it
// learnt. The first one has the seed of the run, the others one of their own: so a single worker makes the frames of
// collector.kind = "async".
std::vector<std::string> worker_manifests(const Wiring& wiring);

}  // namespace tenon
