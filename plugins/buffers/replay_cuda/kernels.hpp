// SPDX-License-Identifier: Apache-2.0
// Loads the plugin's kernels on a device.
#pragma once

#include "tenon/abi/device.h"

void* replay_cuda_kernels(const tn_device& device);
