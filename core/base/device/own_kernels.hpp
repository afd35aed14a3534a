// SPDX-License-Identifier: Apache-2.0
// The kernels that this program contains: finding and launching them on either kind of device.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/device/device.hpp"

namespace tenon {

// The device's own sentence as a problem, if a function of it failed.
Status told(Device& device, tn_status status);

// Loads an image of the device's kind, and finds kernels by their names. `image` null: there was no nvcc when it should
// have been made, which is a problem. `what` names the kernels in that sentence: "updates".
Status find_own_kernels(Device& device, const void* image, std::span<const char* const> names, const std::string& what,
                        std::span<void*> kernels);

// Enqueues a kernel with `work` as its only argument.
Status launch_own(Device& device, void* kernel, std::uint32_t blocks, std::uint32_t threads, void* work);

}  // namespace tenon
