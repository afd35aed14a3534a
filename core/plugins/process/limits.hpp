// SPDX-License-Identifier: Apache-2.0
// The limits of a component that runs in a separate process, which its worker sets for itself before it loads anything.
#pragma once

#include <cstdint>

#include "base/error/result.hpp"

namespace tenon {

// The limits, and how often the component may fail.
struct IsolationRules {
    std::uint32_t workers = 1;      // processes that an env's lanes are distributed over
    double seconds = 30;            // per call; then the process is killed
    std::uint32_t restarts = 5;     // of one component in a run; the next failure ends the run
    std::uint64_t memory_mb = 0;    // 0: no limit
    std::uint64_t processor_s = 0;  // 0: no limit
    bool network = true;
};

// Limits memory and processor time, and blocks the network if the rules say so. A problem if the kernel does not
// support it: no worker is better than one without its limits.
Status limit_this_process(const IsolationRules& rules);

}  // namespace tenon
