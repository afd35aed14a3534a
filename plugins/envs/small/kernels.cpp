// SPDX-License-Identifier: Apache-2.0
// The kernels of the envs for both kinds of devices.
#include "kernels.cu"

#include "small_kernels.hpp"
#include "tenon/device_image.hpp"

TENON_KERNELS(small_kernels, "small", TENON_EMULATED_ENV(falling_ball));
