// SPDX-License-Identifier: Apache-2.0
// The limits of a component that runs in a separate process, and how often it may fail.
#pragma once

#include <cstdint>

namespace tenon {

struct IsolationRules {
    std::uint32_t workers = 1;      // processes that an env's lanes are distributed over
    double seconds = 30;            // per call; then the process is killed
    std::uint32_t restarts = 5;     // of one component in a run; the next failure ends the run
    std::uint64_t memory_mb = 0;    // 0: no limit
    std::uint64_t processor_s = 0;  // 0: no limit
    bool network = true;
};

}  // namespace tenon
