// SPDX-License-Identifier: Apache-2.0
// The kernels of this plugin for a device.
#pragma once

#include "tenon/device_memory.hpp"

// Loads them; throws tenon::Unavailable if the plugin was built without nvcc and the device is a real one.
void* load_kernels(const tn_device& device);
