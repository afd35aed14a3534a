// SPDX-License-Identifier: Apache-2.0
// A sampler that chooses rows on a device (abi/device_sampler.h), behind the functions of a sampler on the CPU: the
// flags and counts of the buffer are copied to the device, and the chosen rows are copied back. If the frames are on
// the device, neither is copied. The device has who makes them (device_parts.hpp).
#pragma once

#include <cstdint>

#include "experience/replay/callee.hpp"
#include "experience/replay/gather.hpp"
#include "tenon/abi/device.h"
#include "tenon/abi/sampler.h"

namespace tenon {

class DeviceSampler {
public:
    DeviceSampler() = default;
    DeviceSampler(const DeviceSampler&) = delete;
    DeviceSampler& operator=(const DeviceSampler&) = delete;
    virtual ~DeviceSampler() = default;

    // From now on chosen rows stay on the device. There, `terminated` and `truncated` are the ends of episodes,
    // [slots][lanes], and faults go to `fault`.
    virtual void stay(const std::uint8_t* terminated, const std::uint8_t* truncated, tn_fault* fault) = 0;
    // The rows of the last call, if they stay; otherwise null.
    [[nodiscard]] virtual const SampledOnDevice* chosen() const = 0;

    // The same component, with functions that the host can call as those of a sampler on the CPU.
    [[nodiscard]] virtual Callee<tn_sampler_api> callee() = 0;
};

}  // namespace tenon
