// SPDX-License-Identifier: Apache-2.0
// Who calls plugins that work on a device. The engine of sources on a device has it, and a run gives it to its device.
#pragma once

#include <cstdint>
#include <memory>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "experience/replay/callee.hpp"
#include "tenon/abi/device_env.h"
#include "tenon/abi/device_sampler.h"
#include "tenon/abi/env.h"
#include "tenon/abi/sampler.h"

namespace tenon {

class DeviceEnv;
class DeviceSampler;

struct DeviceParts {
    // The functions for `env`, which offers "tenon.device_env/1". The instance must outlive this; the device must
    // outlive both.
    Result<std::unique_ptr<DeviceEnv>> (*make_env)(const Callee<tn_env_api>& env, const tn_device_env_api* on_device,
                                                   std::shared_ptr<Device> device, std::uint32_t lanes);
    // The functions for `sampler`, a component that offers "tenon.device_sampler/1".
    Result<std::unique_ptr<DeviceSampler>> (*make_sampler)(const Callee<tn_sampler_api>& sampler,
                                                           const tn_device_sampler_api* on_device,
                                                           std::shared_ptr<Device> device);
};

}  // namespace tenon
