// SPDX-License-Identifier: Apache-2.0
// The host's view of an instance whose code runs in another process: the host's own functions behind the same
// interfaces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tenon/abi/types.h"

namespace tenon {

// The limits of a component that runs in a process of its own, and how often it may fail.
struct IsolationRules {
    std::uint32_t workers = 1;      // processes that an env's lanes are distributed over
    double seconds = 30;            // per call; then the process is killed
    std::uint32_t restarts = 5;     // of one component in a run; the next failure ends the run
    std::uint64_t memory_mb = 0;    // 0: no limit
    std::uint64_t processor_s = 0;  // 0: no limit
    bool network = true;
};

// Lanes whose state was lost with their process. They cannot be stepped until the next reset.
struct LostLanes {
    // In lane_status during a step: the lane was not stepped yet, but will be.
    static constexpr std::uint8_t kStatus = 255;

    bool any = false;
    std::vector<std::uint8_t> lanes;     // 1: lost since the caller last checked
    std::vector<std::string> sentences;  // messages about the process
};

// The implementation of an instance: the component's own functions, or functions that forward to another process.
struct InstanceBody {
    void* self = nullptr;
    std::function<const void*(const char* id)> interface;
    std::function<void()> destroy;
    LostLanes* lost = nullptr;  // only in another process; lives as long as the instance
};

}  // namespace tenon
