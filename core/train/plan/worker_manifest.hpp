// SPDX-License-Identifier: Apache-2.0
// Runs whose lanes and policy are in worker processes (collector.kind = "processes").
#pragma once

#include <string>

namespace tenon {

struct Wiring;

// The run's manifest for a worker: with its share of the lanes, and with lanes that step in turn with learning, as if
// the worker learnt.
std::string worker_manifest(const Wiring& wiring);

}  // namespace tenon
