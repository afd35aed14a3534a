// SPDX-License-Identifier: Apache-2.0
// The kernels of an env whose rules both compilers read (device_rules.hpp): one thread is one lane, as are the steps of
// env_single_lanes.hpp. In kernels.cu:
//
//     TENON_DEVICE_ENV(walk, WalkRules);   // the kernels walk_reset and walk_step
#pragma once

#include <cstddef>
#include <cstdint>

#include "tenon/device_lane.hpp"
#include "tenon/device_random.hpp"
#include "tenon/device_rules.hpp"
#include "tenon/emulated.hpp"
#include "tenon/version.hpp"

namespace tenon {
inline namespace TENON_SDK {

template <class Rules>
__device__ void show_lane(const Rules& rules, const DeviceLane<Rules>& lane, void* column, std::uint64_t at) {
    using Observation = typename Rules::Observation;
    Observation* const out = static_cast<Observation*>(column) + at;
    if constexpr (requires { rules.observe(lane.state, out); }) {
        rules.observe(lane.state, out);
    } else {
        for (std::size_t i = 0; i < lane.state.size(); ++i) {
            out[i] = static_cast<Observation>(lane.state[i]);
        }
    }
}

template <class Rules>
__device__ void begin_lane(const Rules& rules, DeviceLane<Rules>& lane) {
    DeviceRandom random{lane.key, lane.counter};
    rules.begin(random, lane.state);
    lane.counter = random.counter;
    lane.steps = 0;
}

template <class Rules>
__device__ StepResult advance_lane(const Rules& rules, DeviceLane<Rules>& lane, typename Rules::Action action) {
    DeviceRandom random{lane.key, lane.counter};
    if constexpr (requires { rules.advance(lane.state, action, random); }) {
        const StepResult result = rules.advance(lane.state, action, random);
        lane.counter = random.counter;
        return result;
    } else {
        return rules.advance(lane.state, action);
    }
}

// False: there is no such choice.
template <class Action>
__device__ bool read_action(const DeviceEnvRows& rows, std::uint32_t lane, Action& action) {
    if (rows.choices == 0) {
        action = static_cast<Action>(static_cast<const float*>(rows.action)[lane]);
        return true;
    }
    const std::int64_t choice = static_cast<const std::int64_t*>(rows.action)[lane];
    action = static_cast<Action>(choice);
    return choice >= 0 && choice < rows.choices;
}

// The lane of this thread; false: there is none.
__device__ inline bool own_lane(const DeviceEnvRows& rows, std::uint32_t& lane) {
    const std::uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    lane = rows.first + number;
    return number < rows.count;
}

template <class Rules>
__device__ void reset_own_lane(const Rules& rules, DeviceLane<Rules>* lanes, const DeviceEnvRows& rows,
                               const std::uint8_t* mask, const std::uint64_t* seeds) {
    std::uint32_t at = 0;
    if (!own_lane(rows, at) || (mask != nullptr && mask[at] == 0)) {
        return;
    }
    DeviceLane<Rules> lane = lanes[at];
    if (seeds != nullptr) {
        lane.key.seed = seeds[at];
        lane.key.stream = 0;
        lane.counter = 0;
    }
    begin_lane(rules, lane);
    lanes[at] = lane;
    show_lane(rules, lane, rows.observation, static_cast<std::uint64_t>(at) * rows.elements);
}

template <class Rules>
__device__ void step_own_lane(const Rules& rules, DeviceLane<Rules>* lanes, const DeviceEnvRows& rows) {
    std::uint32_t at = 0;
    if (!own_lane(rows, at)) {
        return;
    }
    typename Rules::Action action{};
    if (!read_action(rows, at, action)) {
        if (atomicCAS(&rows.fault->status, 0, TN_INVALID_ARGUMENT) == 0) {
            rows.fault->where = at;
        }
        return;
    }
    DeviceLane<Rules> lane = lanes[at];
    const StepResult result = advance_lane(rules, lane, action);
    ++lane.steps;
    const bool truncated = result.truncated || (rows.limit > 0 && lane.steps >= rows.limit);
    if (rows.is_double != 0) {
        static_cast<double*>(rows.reward)[at] = result.reward;
    } else {
        static_cast<float*>(rows.reward)[at] = static_cast<float>(result.reward);
    }
    rows.terminated[at] = result.terminated ? 1 : 0;
    rows.truncated[at] = truncated ? 1 : 0;
    const std::uint64_t row = static_cast<std::uint64_t>(at) * rows.elements;
    if (result.terminated || truncated) {
        show_lane(rules, lane, rows.final_observation, row);
        begin_lane(rules, lane);
    }
    show_lane(rules, lane, rows.observation, row);
    lanes[at] = lane;
}

}  // namespace TENON_SDK
}  // namespace tenon

#define TENON_DEVICE_ENV(name, ...)                                                                   \
    extern "C" __global__ void name##_reset(__VA_ARGS__ rules, tenon::DeviceLane<__VA_ARGS__>* lanes, \
                                            tenon::DeviceEnvRows rows, const std::uint8_t* mask,      \
                                            const std::uint64_t* seeds) {                             \
        tenon::reset_own_lane(rules, lanes, rows, mask, seeds);                                       \
    }                                                                                                 \
    extern "C" __global__ void name##_step(__VA_ARGS__ rules, tenon::DeviceLane<__VA_ARGS__>* lanes,  \
                                           tenon::DeviceEnvRows rows) {                               \
        tenon::step_own_lane(rules, lanes, rows);                                                     \
    }                                                                                                 \
    static_assert(true)
