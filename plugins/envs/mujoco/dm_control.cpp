// SPDX-License-Identifier: Apache-2.0
// Tasks of dm_control's suite, native. The models are those of the Python package, as `tenon list` says of each task.
#include "dm_tasks.hpp"

using tenon::env;
template <const physics::DmTask& kTask>
using Task = physics::DmEnv<kTask>;

TENON_PLUGIN(
    "dm_control", "0.1.0",
    env<Task<physics::kAcrobotSwingup>>(
        "acrobot-swingup", "bring the tip of two links to a target above (model: Python package dm_control)"),
    env<Task<physics::kAcrobotSwingupSparse>>(
        "acrobot-swingup_sparse", "the same, rewarded at the target only (model: Python package dm_control)"),
    env<Task<physics::kBallInCupCatch>>("ball_in_cup-catch",
                                        "catch a ball on a string with a cup (model: Python package dm_control)"),
    env<Task<physics::kCartpoleBalance>>("cartpole-balance",
                                         "balance a pole on a cart (model: Python package dm_control)"),
    env<Task<physics::kCartpoleBalanceSparse>>("cartpole-balance_sparse",
                                               "the same, rewarded upright only (model: Python package dm_control)"),
    env<Task<physics::kCartpoleSwingup>>("cartpole-swingup",
                                         "swing a pole up and balance it (model: Python package dm_control)"),
    env<Task<physics::kCartpoleSwingupSparse>>("cartpole-swingup_sparse",
                                               "the same, rewarded upright only (model: Python package dm_control)"),
    env<Task<physics::kCartpoleTwoPoles>>("cartpole-two_poles",
                                          "swing two poles up, one on the other (model: Python package dm_control)"),
    env<Task<physics::kCartpoleThreePoles>>("cartpole-three_poles",
                                            "swing three poles up (model: Python package dm_control)"),
    env<Task<physics::kCheetahRun>>("cheetah-run",
                                    "run forward on two legs, in a plane (model: Python package dm_control)"),
    env<Task<physics::kFingerSpin>>("finger-spin", "spin a body with a finger (model: Python package dm_control)"),
    env<Task<physics::kFingerTurnEasy>>("finger-turn_easy",
                                        "turn a body to a large target (model: Python package dm_control)"),
    env<Task<physics::kFingerTurnHard>>("finger-turn_hard",
                                        "turn a body to a small target (model: Python package dm_control)"),
    env<Task<physics::kFishUpright>>("fish-upright", "keep a fish upright (model: Python package dm_control)"),
    env<Task<physics::kFishSwim>>("fish-swim", "swim to a target (model: Python package dm_control)"),
    env<Task<physics::kHopperStand>>("hopper-stand", "stand on one leg, in a plane (model: Python package dm_control)"),
    env<Task<physics::kHopperHop>>("hopper-hop",
                                   "hop forward on one leg, in a plane (model: Python package dm_control)"),
    env<Task<physics::kHumanoidStand>>("humanoid-stand", "stand on two legs (model: Python package dm_control)"),
    env<Task<physics::kHumanoidWalk>>("humanoid-walk", "walk on two legs (model: Python package dm_control)"),
    env<Task<physics::kHumanoidRun>>("humanoid-run", "run on two legs (model: Python package dm_control)"),
    env<Task<physics::kHumanoidRunPureState>>("humanoid-run_pure_state",
                                              "the same, observing the state (model: Python package dm_control)"),
    env<Task<physics::kHumanoidCmuStand>>("humanoid_CMU-stand",
                                          "stand, with the body of motion capture (model: Python package dm_control)"),
    env<Task<physics::kHumanoidCmuWalk>>("humanoid_CMU-walk", "walk with that body (model: Python package dm_control)"),
    env<Task<physics::kHumanoidCmuRun>>("humanoid_CMU-run", "run with that body (model: Python package dm_control)"),
    env<Task<physics::kPendulumSwingup>>("pendulum-swingup",
                                         "swing a pole up with a weak motor (model: Python package dm_control)"),
    env<Task<physics::kPointMassEasy>>("point_mass-easy",
                                       "bring a point to a target (model: Python package dm_control)"),
    env<Task<physics::kPointMassHard>>(
        "point_mass-hard", "the same, with other directions in each episode (model: Python package dm_control)"),
    env<Task<physics::kReacherEasy>>("reacher-easy",
                                     "bring the tip of an arm to a large target (model: Python package dm_control)"),
    env<Task<physics::kReacherHard>>("reacher-hard",
                                     "bring the tip of an arm to a small target (model: Python package dm_control)"),
    env<Task<physics::kSwimmer6>>("swimmer-swimmer6",
                                  "swim to a target with six links, in a plane (model: Python package dm_control)"),
    env<Task<physics::kSwimmer15>>("swimmer-swimmer15",
                                   "the same with fifteen links (model: Python package dm_control)"),
    env<Task<physics::kWalkerStand>>("walker-stand",
                                     "stand on two legs, in a plane (model: Python package dm_control)"),
    env<Task<physics::kWalkerWalk>>("walker-walk", "walk on two legs, in a plane (model: Python package dm_control)"),
    env<Task<physics::kWalkerRun>>("walker-run", "run on two legs, in a plane (model: Python package dm_control)"));
