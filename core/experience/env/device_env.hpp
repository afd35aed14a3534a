// SPDX-License-Identifier: Apache-2.0
// An env whose lanes are on a device (abi/device_env.h), behind the functions of an env on the CPU: every step copies
// the actions to the device, and what the step writes back to the host. Or its columns stay on the device
// (device_ring.hpp). The device has who makes them (device_parts.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/device/device.hpp"
#include "experience/replay/callee.hpp"
#include "experience/replay/device_ring.hpp"
#include "tenon/abi/env.h"

namespace tenon {

class DeviceEnv {
public:
    DeviceEnv() = default;
    DeviceEnv(const DeviceEnv&) = delete;
    DeviceEnv& operator=(const DeviceEnv&) = delete;
    virtual ~DeviceEnv() = default;

    // The same component, with functions that the host can call as those of an env on the CPU.
    [[nodiscard]] virtual Callee<tn_env_api> callee() = 0;

    // The addresses of its columns on the device; and one step of all lanes on them, without copies or waits.
    [[nodiscard]] virtual DeviceLanes columns_on_device() const = 0;
    virtual tn_status enqueue_step(tn_fault* fault) = 0;
    [[nodiscard]] virtual const std::shared_ptr<Device>& device() const = 0;
    // The sentence for a fault of its kernels.
    [[nodiscard]] virtual std::string text_of(const tn_fault& fault) const = 0;

    // The bytes that are copied for one lane.
    struct Crossing {
        std::uint64_t to_device = 0;  // bytes in each step
        std::uint64_t back = 0;       // likewise
        std::uint64_t at_end = 0;     // back for all lanes, in a step that ends an episode
    };
    [[nodiscard]] virtual Crossing crossing() const = 0;
};

}  // namespace tenon
