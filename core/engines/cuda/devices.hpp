// SPDX-License-Identifier: Apache-2.0
// The two kinds of devices: CUDA, and one that runs kernels on the CPU, for tests. DeviceEngine has functions of the
// same names.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/device/device.hpp"
#include "base/error/result.hpp"

namespace tenon {

Result<std::shared_ptr<Device>> open_cuda(int number, JitWhen jit);
std::shared_ptr<Device> open_emulated(std::uint32_t units = 1);
Result<std::vector<FoundDevice>> find_devices();

// For a CUDA device. The address of its card on the bus, which is the same in all processes of the machine.
std::string bus_address(const Device& device);
// For any. Asked from time to time while this process waits for the device: the problem with which the wait ends.
// `waited`: since it began. Empty: it waits for as long as it takes.
using AskInWaits = std::function<Status(std::chrono::steady_clock::duration waited)>;
void ask_in_waits(Device& device, AskInWaits ask);

}  // namespace tenon
