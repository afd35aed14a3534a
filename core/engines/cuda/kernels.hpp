// SPDX-License-Identifier: Apache-2.0
// The kernels of updates, loaded on a device.
#pragma once

#include <cstdint>

#include "base/device/device.hpp"
#include "base/error/result.hpp"
#include "engines/cuda/work.hpp"

namespace tenon::compiled::device {

struct Kernels {
    void* of[static_cast<std::size_t>(Kernel::kCount)] = {};
};

// The problem is what the device says, or that this program was built without nvcc.
Result<Kernels> load_kernels(Device& device);

// Enqueues a kernel for so many elements, one thread for each, or for so many blocks. `work` is its only argument. The
// problem is what the device says.
Status launch_elements(Device& device, const Kernels& kernels, Kernel kernel, std::int64_t elements, void* work);
Status launch_blocks(Device& device, const Kernels& kernels, Kernel kernel, std::int64_t blocks, void* work);
// Enqueues many works as one launch; `work` is a RunWork.
Status launch_run(Device& device, const Kernels& kernels, void* work);
// The same with a kernel that was compiled for this run; and a loop of so many elements with its compiled kernel.
Status launch_run_of_jit(Device& device, void* kernel, void* work);
Status launch_loop_of_jit(Device& device, void* kernel, std::int64_t elements);

}  // namespace tenon::compiled::device
