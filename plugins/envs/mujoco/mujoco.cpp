// SPDX-License-Identifier: Apache-2.0
// Gymnasium's MuJoCo tasks, native, and envs out of any MJCF file.
#include "ant.hpp"
#include "arms.hpp"
#include "gym_env.hpp"
#include "half_cheetah.hpp"
#include "hopper.hpp"
#include "humanoid.hpp"
#include "mjcf.hpp"
#include "needs.hpp"
#include "pendulums.hpp"
#include "swimmer.hpp"

using physics::GymEnv;
using tenon::env;

TENON_PLUGIN("mujoco", "0.1.0", env<GymEnv<physics::Ant>>("Ant-v5", "walk forward on four legs"),
             env<GymEnv<physics::HalfCheetah>>("HalfCheetah-v5", "run forward on two legs, in a plane"),
             env<GymEnv<physics::Hopper>>("Hopper-v5", "hop forward on one leg, in a plane"),
             env<GymEnv<physics::Walker2d>>("Walker2d-v5", "walk forward on two legs, in a plane"),
             env<GymEnv<physics::Humanoid>>("Humanoid-v5", "walk forward on two legs"),
             env<GymEnv<physics::HumanoidStandup>>("HumanoidStandup-v5", "stand up from lying"),
             env<GymEnv<physics::InvertedPendulum>>("InvertedPendulum-v5", "balance a pole on a cart"),
             env<GymEnv<physics::InvertedDoublePendulum>>("InvertedDoublePendulum-v5", "balance two poles on a cart"),
             env<GymEnv<physics::Reacher>>("Reacher-v5", "bring the tip of an arm to a goal"),
             env<GymEnv<physics::Pusher>>("Pusher-v5", "push an object to a goal with an arm"),
             env<GymEnv<physics::Swimmer>>("Swimmer-v5", "swim forward with three links"),
             tenon::needing<physics::look>(
                 env<physics::Mjcf>("mjcf", "any MJCF file, with expressions for what is observed and rewarded")));
