// SPDX-License-Identifier: Apache-2.0
// What an instance is to the host whose code runs somewhere else: the host's own functions behind the same interfaces.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tenon/abi/types.h"

namespace tenon {

// Lanes whose state went with the process that had it. They hold nothing that could be stepped until the next reset.
struct LostLanes {
    // In lane_status, while the step lasts: the lane was not stepped, and will be.
    static constexpr std::uint8_t kStatus = 255;

    bool any = false;
    std::vector<std::uint8_t> lanes;     // 1: lost since whoever steps them took note
    std::vector<std::string> sentences;  // what became of the process, to be told
};

// Where an instance lives: the component's own functions, or those that reach it in another process.
struct InstanceBody {
    void* self = nullptr;
    std::function<const void*(const char* id)> interface;
    std::function<void()> destroy;
    LostLanes* lost = nullptr;  // only in another process; as long as the instance
};

}  // namespace tenon
