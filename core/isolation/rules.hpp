// SPDX-License-Identifier: Apache-2.0
// What a component that runs in a process of its own may do, and how often it may fail.
#pragma once

#include <cstdint>

namespace tenon {

struct IsolationRules {
    std::uint32_t workers = 1;      // processes that share the lanes of an env
    double seconds = 30;            // for one call, after which the process is ended
    std::uint32_t restarts = 5;     // of one component in a run; the next failure ends the run
    std::uint64_t memory_mb = 0;    // 0: no limit
    std::uint64_t processor_s = 0;  // 0: no limit
    bool network = true;
};

}  // namespace tenon
