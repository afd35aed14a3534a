// SPDX-License-Identifier: Apache-2.0
// What each worker process runs, and how many there are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error/result.hpp"
#include "config/manifest/manifest.hpp"

namespace tenon {

struct Wiring;

// The commands that start the processes on other machines (collector.via), each as its words; none: workers are on this
// machine. A problem: one cannot be read, or its program does not exist.
Result<std::vector<std::vector<std::string>>> worker_commands(const Manifest& manifest);

// The run's manifest for a worker: with its share of the lanes, and with lanes that step in turn with learning, as if
// the worker learnt. On other machines the files of plugins must be the same.
Result<std::string> worker_manifest(const Wiring& wiring);

// The number of processes. It does not depend on the machine, because a checkpoint has the state of each of them.
std::uint32_t worker_count(const Manifest& manifest);

}  // namespace tenon
