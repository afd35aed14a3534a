// SPDX-License-Identifier: Apache-2.0
// Announces a benchmark that may print nothing for minutes.
#pragma once

#include "base/device/device.hpp"
#include "base/log/log.hpp"

namespace tenon {

// Logs a line if the device is the emulated one. Null: there is no device.
inline void announce_slow(const Device* device) {
    if (device != nullptr && device->table.device_type == TN_DEVICE_EMULATED) {
        log(Level::kInfo,
            "the emulated device is some 50 to 200 times slower than the CPU: collecting frames and measuring may take "
            "minutes");
    }
}

}  // namespace tenon
