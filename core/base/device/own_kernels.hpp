// SPDX-License-Identifier: Apache-2.0
// The kernels that come with this program: finding and launching them on either kind of device.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/device/device.hpp"

namespace tenon {

// The device's own sentence as a problem, if a function of it failed.
Status told(Device& device, tn_status status);

// Loads an image, and finds its kernels in the order of `emulated`. `cuda`: the image for a GPU; null if the program
// was built without nvcc, which is a problem on a GPU. `what` names the kernels in that sentence: "updates".
Status find_own_kernels(Device& device, const tn_emulated_image& emulated, const void* cuda, const std::string& what,
                        std::span<void*> kernels);

// Enqueues a kernel with `work` as its only argument.
Status launch_own(Device& device, void* kernel, std::uint32_t blocks, std::uint32_t threads, void* work);

}  // namespace tenon
