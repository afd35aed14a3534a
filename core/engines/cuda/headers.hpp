// SPDX-License-Identifier: Apache-2.0
// The headers of kernels as text, for a compiler at run time.
#pragma once

#include <span>

#include "base/device/device.hpp"

namespace tenon::compiled::device {

std::span<const KernelHeader> kernel_headers();

}  // namespace tenon::compiled::device
