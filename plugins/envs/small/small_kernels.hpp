// SPDX-License-Identifier: Apache-2.0
// The kernels of this folder's envs (kernels.cpp).
#pragma once

#include "tenon/abi/device.h"

void* small_kernels(const tn_device& device);
