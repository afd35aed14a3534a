// SPDX-License-Identifier: Apache-2.0
// The envs of this folder as kernels.
#include "acrobot_rules.hpp"
#include "cartpole_rules.hpp"
#include "mountain_car_continuous_rules.hpp"
#include "mountain_car_rules.hpp"
#include "pendulum_rules.hpp"
#include "tenon/device_env_kernels.hpp"

TENON_DEVICE_ENV(acrobot, AcrobotRules);
TENON_DEVICE_ENV(cartpole, CartPoleRules);
TENON_DEVICE_ENV(mountain_car, MountainCarRules);
TENON_DEVICE_ENV(mountain_car_continuous, MountainCarContinuousRules);
TENON_DEVICE_ENV(pendulum, PendulumRules);
