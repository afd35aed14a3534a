// SPDX-License-Identifier: Apache-2.0
// The envs of this folder that are kernels, too.
#include "falling_ball_rules.hpp"
#include "tenon/device_env_kernels.hpp"

TENON_DEVICE_ENV(falling_ball, FallingBallRules);
