// SPDX-License-Identifier: Apache-2.0
// What the kernels of an env (device_env_kernels.hpp) and its functions on the host (device_env.hpp) share.
#pragma once

#include <cstdint>

#include "tenon/abi/device.h"
#include "tenon/abi/random.h"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

// A lane on the device.
template <class Rules>
struct DeviceLane {
    typename Rules::State state;
    tn_key key;
    std::uint64_t counter;
    std::int64_t steps;
};

// Writes all of a lane on the device except its state.
template <class Random, class Lane>
void give_rest(const Random& random, std::int64_t steps, Lane& out) {
    out.key = random.state().key;
    out.counter = random.state().counter;
    out.steps = steps;
}

// The columns of a call, on the device and dense.
struct DeviceEnvRows {
    const void* action;       // int64 if there are choices, else float
    void* observation;        // [lanes][elements]
    void* final_observation;  // likewise
    void* reward;             // double if is_double, else float
    std::uint8_t* terminated;
    std::uint8_t* truncated;
    tn_fault* fault;
    std::int64_t choices;  // 0: the action is a float
    std::int64_t limit;    // steps of an episode; 0: none
    std::uint32_t elements;
    std::uint32_t is_double;
    std::uint32_t first;  // the lanes first .. first + count - 1
    std::uint32_t count;
};

}  // namespace TENON_SDK
}  // namespace tenon
