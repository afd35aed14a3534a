// SPDX-License-Identifier: Apache-2.0
// The two kinds of devices: CUDA, and one that runs kernels on the CPU, for tests. DeviceEngine has functions of the
// same names.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon {

Result<std::shared_ptr<Device>> open_cuda(int number, JitWhen jit);
std::shared_ptr<Device> open_emulated(std::uint32_t units = 1);
Result<std::vector<FoundDevice>> find_devices();

}  // namespace tenon
