// SPDX-License-Identifier: Apache-2.0
// The named buffers of a run: who samples them, and which frames they have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {

struct Running;
struct Wiring;

struct ExplainedBuffer {
    std::string name;
    std::string sampler;      // empty: a mixture of others
    std::string frames;       // "4000 of manifests/expert.frames", "the newest 3000 of the run", "0.5 of a, 0.5 of b"
    std::uint64_t bytes = 0;  // of frames that the run has not collected; the storage's columns have the others
};

// None where the only buffer has no name. Requires a complete wiring.
std::vector<ExplainedBuffer> buffers_of(const Wiring& wiring, const Running& running);

}  // namespace tenon
