// SPDX-License-Identifier: Apache-2.0
// The kernels: nvcc makes those for GPUs of this file, and kernels.cpp makes functions of it.
#include <tenon/device_env_kernels.hpp>

#include "rules.hpp"

TENON_DEVICE_ENV(step, Rules);
