// SPDX-License-Identifier: Apache-2.0
// What a benchmark says before it is silent for minutes.
#pragma once

#include "base/device/device.hpp"

namespace tenon {

// A line in the log if the device is the emulated one. Null: there is no device.
void announce_slow(const Device* device);

}  // namespace tenon
