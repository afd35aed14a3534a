// SPDX-License-Identifier: Apache-2.0
// Tasks of dm_control's suite, native.
#include "dm_tasks.hpp"

using tenon::env;
template <const physics::DmTask& kTask>
using Task = physics::DmEnv<kTask>;

TENON_PLUGIN("dm_control", "0.1.0",
             env<Task<physics::kAcrobotSwingup>>("acrobot-swingup", "bring the tip of two links to a target above"),
             env<Task<physics::kAcrobotSwingupSparse>>("acrobot-swingup_sparse",
                                                       "the same, rewarded at the target only"),
             env<Task<physics::kBallInCupCatch>>("ball_in_cup-catch", "catch a ball on a string with a cup"),
             env<Task<physics::kCartpoleBalance>>("cartpole-balance", "balance a pole on a cart"),
             env<Task<physics::kCartpoleBalanceSparse>>("cartpole-balance_sparse", "the same, rewarded upright only"),
             env<Task<physics::kCartpoleSwingup>>("cartpole-swingup", "swing a pole up and balance it"),
             env<Task<physics::kCartpoleSwingupSparse>>("cartpole-swingup_sparse", "the same, rewarded upright only"),
             env<Task<physics::kCheetahRun>>("cheetah-run", "run forward on two legs, in a plane"),
             env<Task<physics::kFingerSpin>>("finger-spin", "spin a body with a finger"),
             env<Task<physics::kHopperStand>>("hopper-stand", "stand on one leg, in a plane"),
             env<Task<physics::kHopperHop>>("hopper-hop", "hop forward on one leg, in a plane"),
             env<Task<physics::kHumanoidStand>>("humanoid-stand", "stand on two legs"),
             env<Task<physics::kHumanoidWalk>>("humanoid-walk", "walk on two legs"),
             env<Task<physics::kHumanoidRun>>("humanoid-run", "run on two legs"),
             env<Task<physics::kHumanoidRunPureState>>("humanoid-run_pure_state", "the same, observing the state"),
             env<Task<physics::kPendulumSwingup>>("pendulum-swingup", "swing a pole up with a weak motor"),
             env<Task<physics::kPointMassEasy>>("point_mass-easy", "bring a point to a target"),
             env<Task<physics::kReacherEasy>>("reacher-easy", "bring the tip of an arm to a large target"),
             env<Task<physics::kReacherHard>>("reacher-hard", "bring the tip of an arm to a small target"),
             env<Task<physics::kWalkerStand>>("walker-stand", "stand on two legs, in a plane"),
             env<Task<physics::kWalkerWalk>>("walker-walk", "walk on two legs, in a plane"),
             env<Task<physics::kWalkerRun>>("walker-run", "run on two legs, in a plane"));
