// SPDX-License-Identifier: Apache-2.0
// Tasks of dm_control's suite: expressions for what they observe and reward, in the order of the suite's observations.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "dm_starts.hpp"

namespace physics {

// A reward for little control, from 0.8 to 1.
#define TENON_SMALL_CONTROL "(4 + mean(tolerance_quadratic(ctrl, 0, 0, 1, 0))) / 5"

// --- acrobot
inline constexpr std::array kAcrobotSeen = {
    "[xmat('upper_arm')[2], xmat('lower_arm')[2], xmat('upper_arm')[8], xmat('lower_arm')[8]]", "qvel"};
inline void start_acrobot(const DmStart& start) {
    *qpos_of(start, "shoulder") = start.rng.uniform(-std::numbers::pi, std::numbers::pi);
    *qpos_of(start, "elbow") = start.rng.uniform(-std::numbers::pi, std::numbers::pi);
}
inline constexpr DmTask kAcrobotSwingup = {
    "acrobot.xml", 0, kAcrobotSeen,
    "tolerance(norm(site_xpos('target') - site_xpos('tip')), 0, site_size('target')[0], 1)", start_acrobot};
inline constexpr DmTask kAcrobotSwingupSparse = {
    "acrobot.xml", 0, kAcrobotSeen,
    "tolerance(norm(site_xpos('target') - site_xpos('tip')), 0, site_size('target')[0], 0)", start_acrobot};

// --- ball_in_cup
inline constexpr std::array kState = {"qpos", "qvel"};
inline void start_ball(const DmStart& start) {
    do {
        *qpos_of(start, "ball_x") = start.rng.uniform(-0.2, 0.2);
        *qpos_of(start, "ball_z") = start.rng.uniform(0.2, 0.5);
        forward(start.model, start.data);
    } while (start.data.ncon > 0);
}
inline constexpr DmTask kBallInCupCatch = {
    "ball_in_cup.xml", 0.02, kState,
    "abs(site_xpos('target')[0] - xpos('ball')[0]) < site_size('target')[0] - geom_size('ball')[0] and "
    "abs(site_xpos('target')[2] - xpos('ball')[2]) < site_size('target')[2] - geom_size('ball')[0]",
    start_ball};

// --- cartpole
inline constexpr std::array kCartpoleSeen = {"[qpos('slider'), xmat('pole_1')[8], xmat('pole_1')[2]]", "qvel"};
inline constexpr const char* kCartpoleReward =
    "(xmat('pole_1')[8] + 1) / 2 * (" TENON_SMALL_CONTROL
    ") * ((1 + min(tolerance(qvel[1:], 0, 0, 5))) / 2) * ((1 + tolerance(qpos('slider'), 0, 0, 2)) / 2)";
inline constexpr const char* kCartpoleSparse =
    "tolerance(qpos('slider'), -0.25, 0.25, 0) * tolerance(xmat('pole_1')[8], 0.995, 1, 0)";
inline void start_velocities(const DmStart& start) {
    for (int i = 0; i < start.model.nv; ++i) {
        start.data.qvel[i] = 0.01 * start.rng.normal();
    }
}
inline void start_balance(const DmStart& start) {
    *qpos_of(start, "slider") = start.rng.uniform(-0.1, 0.1);
    *qpos_of(start, "hinge_1") = start.rng.uniform(-0.034, 0.034);
    start_velocities(start);
}
inline void start_swingup(const DmStart& start) {
    *qpos_of(start, "slider") = 0.01 * start.rng.normal();
    *qpos_of(start, "hinge_1") = std::numbers::pi + 0.01 * start.rng.normal();
    start_velocities(start);
}
inline constexpr DmTask kCartpoleBalance = {"cartpole.xml", 0, kCartpoleSeen, kCartpoleReward, start_balance};
inline constexpr DmTask kCartpoleBalanceSparse = {"cartpole.xml", 0, kCartpoleSeen, kCartpoleSparse, start_balance};
inline constexpr DmTask kCartpoleSwingup = {"cartpole.xml", 0, kCartpoleSeen, kCartpoleReward, start_swingup};
inline constexpr DmTask kCartpoleSwingupSparse = {"cartpole.xml", 0, kCartpoleSeen, kCartpoleSparse, start_swingup};

// --- cheetah
inline constexpr std::array kPlanarSeen = {"qpos[1:]", "qvel"};
inline void start_cheetah(const DmStart& start) {
    for (int joint = 0; joint < start.model.njnt; ++joint) {
        if (start.model.jnt_limited[joint] != 0) {
            const mjtNum* const range = start.model.jnt_range + std::ptrdiff_t{2} * joint;
            start.data.qpos[joint] = start.rng.uniform(range[0], range[1]);
        }
    }
    // It comes to rest before the episode begins.
    constexpr int kSteps = 200;
    forward(start.model, start.data);
    guarded([&] {
        for (int i = 0; i < kSteps; ++i) {
            mj_step(&start.model, &start.data);
        }
    });
    start.data.time = 0;
}
inline constexpr DmTask kCheetahRun = {
    "cheetah.xml", 0, kPlanarSeen, "tolerance_linear(sensor('torso_subtreelinvel')[0], 10, inf, 10, 0)", start_cheetah};

// --- finger
inline constexpr std::array kFingerSeen = {
    "[sensor('proximal'), sensor('distal')]",
    "[sensor('tip')[0], sensor('tip')[2]] - [sensor('spinner')[0], sensor('spinner')[2]]",
    "[sensor('proximal_velocity'), sensor('distal_velocity'), sensor('hinge_velocity')]",
    "log1p([sensor('touchtop'), sensor('touchbottom')])"};
inline void let_spin(mjModel& model) {
    model.dof_damping[model.jnt_dofadr[mj_name2id(&model, mjOBJ_JOINT, "hinge")]] = 0.03;
}
inline constexpr DmTask kFingerSpin = {"finger.xml",           0.02, kFingerSeen, "sensor('hinge_velocity') <= -15",
                                       randomise_joints_apart, 0,    let_spin};

// --- hopper
inline constexpr std::array kHopperSeen = {"qpos[1:]", "qvel", "log1p([sensor('touch_toe'), sensor('touch_heel')])"};
inline constexpr DmTask kHopperStand = {
    "hopper.xml", 0.02, kHopperSeen,
    "tolerance(xipos('torso')[2] - xipos('foot')[2], 0.6, 2, 0) * (" TENON_SMALL_CONTROL ")", randomise_joints};
inline constexpr DmTask kHopperHop = {"hopper.xml", 0.02, kHopperSeen,
                                      "tolerance(xipos('torso')[2] - xipos('foot')[2], 0.6, 2, 0) * "
                                      "tolerance_linear(sensor('torso_subtreelinvel')[0], 2, inf, 1, 0.5)",
                                      randomise_joints};

// --- humanoid
#define TENON_LIMB(name)                                                            \
    "[dot(xpos('" name                                                              \
    "') - xpos('torso'), [xmat('torso')[0], xmat('torso')[3], xmat('torso')[6]]), " \
    "dot(xpos('" name                                                               \
    "') - xpos('torso'), [xmat('torso')[1], xmat('torso')[4], xmat('torso')[7]]), " \
    "dot(xpos('" name "') - xpos('torso'), [xmat('torso')[2], xmat('torso')[5], xmat('torso')[8]])]"
inline constexpr std::array kHumanoidSeen = {"qpos[7:]",
                                             "xpos('head')[2]",
                                             TENON_LIMB("left_hand"),
                                             TENON_LIMB("left_foot"),
                                             TENON_LIMB("right_hand"),
                                             TENON_LIMB("right_foot"),
                                             "xmat('torso')[6:9]",
                                             "sensor('torso_subtreelinvel')",
                                             "qvel"};
#undef TENON_LIMB
#define TENON_STANDING                                   \
    "(" TENON_SMALL_CONTROL                              \
    ") * (tolerance(xpos('head')[2], 1.4, inf, 0.35) * " \
    "tolerance_linear(xmat('torso')[8], 0.9, inf, 1.9, 0)) * "
inline constexpr const char* kHumanoidStandReward =
    TENON_STANDING "mean(tolerance(sensor('torso_subtreelinvel')[0:2], 0, 0, 2))";
inline constexpr const char* kHumanoidWalkReward =
    TENON_STANDING "((5 * tolerance_linear(norm(sensor('torso_subtreelinvel')[0:2]), 1, inf, 1, 0) + 1) / 6)";
inline constexpr const char* kHumanoidRunReward =
    TENON_STANDING "((5 * tolerance_linear(norm(sensor('torso_subtreelinvel')[0:2]), 10, inf, 10, 0) + 1) / 6)";
#undef TENON_STANDING
inline constexpr DmTask kHumanoidStand = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidStandReward,
                                          randomise_joints_apart};
inline constexpr DmTask kHumanoidWalk = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidWalkReward,
                                         randomise_joints_apart};
inline constexpr DmTask kHumanoidRun = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidRunReward,
                                        randomise_joints_apart};
inline constexpr DmTask kHumanoidRunPureState = {"humanoid.xml", 0.025, kState, kHumanoidRunReward,
                                                 randomise_joints_apart};

// --- pendulum
inline constexpr std::array kPendulumSeen = {"[xmat('pole')[8], xmat('pole')[2]]", "qvel"};
inline void start_pendulum(const DmStart& start) {
    *qpos_of(start, "hinge") = start.rng.uniform(-std::numbers::pi, std::numbers::pi);
}
inline constexpr DmTask kPendulumSwingup = {"pendulum.xml", 0, kPendulumSeen,
                                            "tolerance(xmat('pole')[8], cos(8 * pi / 180), 1, 0)", start_pendulum};

// --- point_mass
inline constexpr DmTask kPointMassEasy = {
    "point_mass.xml", 0, kState,
    "tolerance(norm(geom_xpos('target') - geom_xpos('pointmass')), 0, geom_size('target')[0], geom_size('target')[0]) "
    "* (" TENON_SMALL_CONTROL ")",
    randomise_joints};

// --- reacher, whose target is of this lane, not of the model
inline constexpr std::array kReacherSeen = {"qpos", "target - geom_xpos('finger')[0:2]", "qvel"};
inline void start_reacher(const DmStart& start) {
    randomise_joints(start);
    const double angle = start.rng.uniform(0, 2 * std::numbers::pi);
    const double radius = start.rng.uniform(0.05, 0.2);
    start.input[0] = radius * std::sin(angle);
    start.input[1] = radius * std::cos(angle);
}
inline constexpr DmTask kReacherEasy = {
    "reacher.xml", 0,
    kReacherSeen,  "tolerance(norm(target - geom_xpos('finger')[0:2]), 0, 0.05 + geom_size('finger')[0], 0)",
    start_reacher, 2};
inline constexpr DmTask kReacherHard = {
    "reacher.xml", 0,
    kReacherSeen,  "tolerance(norm(target - geom_xpos('finger')[0:2]), 0, 0.015 + geom_size('finger')[0], 0)",
    start_reacher, 2};

// --- walker
inline constexpr std::array kWalkerSeen = {
    "[xmat[9], xmat[11], xmat[18], xmat[20], xmat[27], xmat[29], xmat[36], xmat[38], xmat[45], xmat[47], xmat[54], "
    "xmat[56], xmat[63], xmat[65]]",
    "xpos('torso')[2]", "qvel"};
#define TENON_WALKER_STANDS "(3 * tolerance(xpos('torso')[2], 1.2, inf, 0.6) + (1 + xmat('torso')[8]) / 2) / 4"
inline constexpr DmTask kWalkerStand = {"walker.xml", 0.025, kWalkerSeen, TENON_WALKER_STANDS, randomise_joints};
inline constexpr DmTask kWalkerWalk = {
    "walker.xml", 0.025, kWalkerSeen,
    TENON_WALKER_STANDS " * (5 * tolerance_linear(sensor('torso_subtreelinvel')[0], 1, inf, 0.5, 0.5) + 1) / 6",
    randomise_joints};
inline constexpr DmTask kWalkerRun = {
    "walker.xml", 0.025, kWalkerSeen,
    TENON_WALKER_STANDS " * (5 * tolerance_linear(sensor('torso_subtreelinvel')[0], 8, inf, 4, 0.5) + 1) / 6",
    randomise_joints};
#undef TENON_WALKER_STANDS
#undef TENON_SMALL_CONTROL

}  // namespace physics
