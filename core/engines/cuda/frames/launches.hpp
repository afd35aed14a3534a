// SPDX-License-Identifier: Apache-2.0
// The kernels of frames, loaded on a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon::frames {

// In the order of their names in launches.cpp.
enum class Kernel : std::uint8_t { kKeep, kMove, kTake, kCount };

struct Kernels {
    void* of[static_cast<std::size_t>(Kernel::kCount)] = {};
};

// The problem: what the device says, or that this program was built where there was no nvcc.
Result<Kernels> load_kernels(Device& device);

// Enqueues a kernel with a thread for each of so many rows. `work` is its only argument.
Status launch_rows(Device& device, const Kernels& kernels, Kernel kernel, std::uint64_t rows, void* work);

}  // namespace tenon::frames
