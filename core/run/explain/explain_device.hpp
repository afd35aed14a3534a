// SPDX-License-Identifier: Apache-2.0
// The device of a run, and what works there.
#pragma once

#include <string>
#include <vector>

namespace tenon {

struct Wiring;

struct ExplainedDevice {
    std::string name;                  // as run.device has it
    std::vector<std::string> rows_of;  // samplers that choose their rows there; none if it is the CPU
};

// Requires a complete wiring.
ExplainedDevice device_of(const Wiring& wiring);

}  // namespace tenon
