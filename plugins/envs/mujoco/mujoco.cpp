// SPDX-License-Identifier: Apache-2.0
// Gymnasium's MuJoCo tasks, native.
#include "gym_env.hpp"
#include "half_cheetah.hpp"

using physics::GymEnv;

TENON_PLUGIN("mujoco", "0.1.0", tenon::env<GymEnv<physics::HalfCheetah>>("HalfCheetah-v5", "run on two legs"));
