// SPDX-License-Identifier: Apache-2.0
// What the shards of a run share, and what this costs.
#pragma once

#include <string>

namespace tenon {

struct Wiring;

// Begins with a blank; empty if the run has one shard. Requires a complete wiring.
std::string shards_of(const Wiring& wiring);

}  // namespace tenon
