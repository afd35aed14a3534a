// SPDX-License-Identifier: Apache-2.0
// The kernels. nvcc compiles this file for GPUs; kernels.cpp includes it to compile it for the CPU.
#include <tenon/device_env_kernels.hpp>

#include "rules.hpp"

TENON_DEVICE_ENV(step, Rules);
