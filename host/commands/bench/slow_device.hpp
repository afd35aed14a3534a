// SPDX-License-Identifier: Apache-2.0
// Announces a benchmark that may print nothing for minutes.
#pragma once

#include "base/device/device.hpp"

namespace tenon {

// Logs a line if the device is the emulated one. Null: there is no device.
void announce_slow(const Device* device);

}  // namespace tenon
