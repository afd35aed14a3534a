// SPDX-License-Identifier: Apache-2.0
// The exports of lib/tenon/libtenon_torch.so. The host loads it (module.hpp) when libtorch must evaluate a graph;
// nothing else of libtorch is visible outside.
#pragma once

#include <cstdint>
#include <memory>

#include "base/device/device.hpp"
#include "compute/exec/print_line.hpp"
#include "compute/exec/program.hpp"

namespace tenon {

// "tenon_torch_executor": the reference executor in float32 or float64. The caller owns it. Updates are computed on the
// device if they can be; null: on the CPU.
using MakeReferenceExecutor = Executor* (*)(DType real, PrintLine print, const std::shared_ptr<Device>& device);

// "tenon_torch_lacks": why libtorch cannot compute on a device of this type (abi/device.h), as a clause; null: it can.
using ReferenceLacks = const char* (*)(std::int32_t device_type);

}  // namespace tenon
