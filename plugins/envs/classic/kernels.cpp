// SPDX-License-Identifier: Apache-2.0
// The kernels of the envs for both kinds of devices.
#include "kernels.cu"

#include "classic_kernels.hpp"
#include "tenon/device_image.hpp"

TENON_KERNELS(classic_kernels, "classic", TENON_EMULATED_ENV(acrobot), TENON_EMULATED_ENV(cartpole),
              TENON_EMULATED_ENV(mountain_car), TENON_EMULATED_ENV(mountain_car_continuous),
              TENON_EMULATED_ENV(pendulum));
