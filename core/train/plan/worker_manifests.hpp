// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes and policy are in worker processes (collector.kind = "processes").
#pragma once

#include <string>
#include <vector>

namespace tenon {

struct Wiring;

// The run's manifest for each of the workers: with its share of the lanes, and with lanes that step in turn with
// learning, as if the worker learnt. The first worker has the seed of the run, the others have seeds of their own. So a
// single worker makes the same frames as collector.kind = "async".
std::vector<std::string> worker_manifests(const Wiring& wiring);

}  // namespace tenon
