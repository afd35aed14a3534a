// SPDX-License-Identifier: Apache-2.0
// Tasks of dm_control's suite: expressions for what they observe and reward, in the order of the suite's observations.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "dm_models.hpp"
#include "dm_starts.hpp"

namespace physics {

// The vector of the world in the frame of an orientation: its product with the matrix.
#define TENON_LOCAL(vector, matrix)                                                                            \
    "[dot(" vector ", [" matrix "[0], " matrix "[3], " matrix "[6]]), dot(" vector ", [" matrix "[1], " matrix \
    "[4], " matrix "[7]]), dot(" vector ", [" matrix "[2], " matrix "[5], " matrix "[8]])]"

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

// With more poles; the suite's range of initial angles is wider for those.
inline constexpr std::array kTwoPolesSeen = {
    "[qpos('slider'), xmat('pole_1')[8], xmat('pole_1')[2], xmat('pole_2')[8], xmat('pole_2')[2]]", "qvel"};
inline constexpr std::array kThreePolesSeen = {
    "[qpos('slider'), xmat('pole_1')[8], xmat('pole_1')[2], xmat('pole_2')[8], xmat('pole_2')[2], xmat('pole_3')[8], "
    "xmat('pole_3')[2]]",
    "qvel"};
#define TENON_POLES_REWARD(upright)                         \
    "mean(([" upright "] + 1) / 2) * (" TENON_SMALL_CONTROL \
    ") * ((1 + min(tolerance(qvel[1:], 0, 0, 5))) / 2) * ((1 + tolerance(qpos('slider'), 0, 0, 2)) / 2)"
inline void start_poles(const DmStart& start) {
    start_swingup(start);
    for (int i = 2; i < start.model.nq; ++i) {
        start.data.qpos[i] = 0.1 * start.rng.normal();
    }
}
inline constexpr DmTask kCartpoleTwoPoles = {.file = "cartpole.xml",
                                             .control_step = 0,
                                             .observation = kTwoPolesSeen,
                                             .reward = TENON_POLES_REWARD("xmat('pole_1')[8], xmat('pole_2')[8]"),
                                             .start = start_poles,
                                             .build = add_second_pole};
inline constexpr DmTask kCartpoleThreePoles = {
    .file = "cartpole.xml",
    .control_step = 0,
    .observation = kThreePolesSeen,
    .reward = TENON_POLES_REWARD("xmat('pole_1')[8], xmat('pole_2')[8], xmat('pole_3')[8]"),
    .start = start_poles,
    .build = add_three_poles};
#undef TENON_POLES_REWARD

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

// The target is of this lane, not of the model: around the hinge of the body that is to be turned.
inline constexpr std::array kFingerTurnSeen = {
    kFingerSeen[0],
    kFingerSeen[1],
    kFingerSeen[2],
    kFingerSeen[3],
    "target - [sensor('spinner')[0], sensor('spinner')[2]]",
    "norm((target - [sensor('spinner')[0], sensor('spinner')[2]]) - ([sensor('tip')[0], sensor('tip')[2]] - "
    "[sensor('spinner')[0], sensor('spinner')[2]])) - site_size('target')[0]"};
inline void start_turn(const DmStart& start) {
    randomise_joints_apart(start);
    const double angle = start.rng.uniform(-std::numbers::pi, std::numbers::pi);
    const int hinge = mj_name2id(&start.model, mjOBJ_JOINT, "hinge");
    const mjtNum* const size = start.model.geom_size + std::ptrdiff_t{3} * mj_name2id(&start.model, mjOBJ_GEOM, "cap1");
    const double radius = size[0] + size[1] + size[2];
    const mjtNum* const anchor = start.data.xanchor + std::ptrdiff_t{3} * hinge;
    start.input[0] = anchor[0] + radius * std::sin(angle);
    start.input[1] = anchor[2] + radius * std::cos(angle);
}
template <int kThousandths>
void set_target_size(mjModel& model) {
    model.site_size[std::ptrdiff_t{3} * mj_name2id(&model, mjOBJ_SITE, "target")] = kThousandths / 1000.0;
}
inline constexpr const char* kFingerTurnReward =
    "norm((target - [sensor('spinner')[0], sensor('spinner')[2]]) - ([sensor('tip')[0], sensor('tip')[2]] - "
    "[sensor('spinner')[0], sensor('spinner')[2]])) - site_size('target')[0] <= 0";
inline constexpr DmTask kFingerTurnEasy = {.file = "finger.xml",
                                           .control_step = 0.02,
                                           .observation = kFingerTurnSeen,
                                           .reward = kFingerTurnReward,
                                           .start = start_turn,
                                           .target = 2,
                                           .adjust = set_target_size<70>};
inline constexpr DmTask kFingerTurnHard = {.file = "finger.xml",
                                           .control_step = 0.02,
                                           .observation = kFingerTurnSeen,
                                           .reward = kFingerTurnReward,
                                           .start = start_turn,
                                           .target = 2,
                                           .adjust = set_target_size<30>};

// --- fish
inline constexpr const char* kFishJoints =
    "[qpos('tail1'), qpos('tail_twist'), qpos('tail2'), qpos('finright_roll'), qpos('finright_pitch'), "
    "qpos('finleft_roll'), qpos('finleft_pitch')]";
inline constexpr std::array kFishSeen = {kFishJoints, "xmat('torso')[8]", "qvel"};
#define TENON_TO_TARGET TENON_LOCAL("(target - geom_xpos('mouth'))", "geom_xmat('mouth')")
inline constexpr std::array kFishSwimSeen = {kFishJoints, "xmat('torso')[8]", TENON_TO_TARGET, "qvel"};
inline void start_fish(const DmStart& start) {
    tenon::Rng& rng = start.rng;
    double* const root = qpos_of(start, "root");
    set_quaternion(root + 3, {rng.normal(), rng.normal(), rng.normal(), rng.normal()});
    for (const char* const joint :
         {"tail1", "tail_twist", "tail2", "finright_roll", "finright_pitch", "finleft_roll", "finleft_pitch"}) {
        *qpos_of(start, joint) = rng.uniform(-.2, .2);
    }
}
inline void start_swim(const DmStart& start) {
    start_fish(start);
    start.input[0] = start.rng.uniform(-.4, .4);
    start.input[1] = start.rng.uniform(-.4, .4);
    start.input[2] = start.rng.uniform(.1, .3);
}
inline constexpr DmTask kFishUpright = {"fish.xml", 0.04, kFishSeen, "tolerance(xmat('torso')[8], 1, 1, 1)",
                                        start_fish};
inline constexpr DmTask kFishSwim = {
    "fish.xml",
    0.04,
    kFishSwimSeen,
    "(7 * tolerance(norm(" TENON_TO_TARGET
    "), 0, geom_size('mouth')[0] + geom_size('target')[0], 2 * (geom_size('mouth')[0] + geom_size('target')[0])) "
    "+ 0.5 * (xmat('torso')[8] + 1)) / 8",
    start_swim,
    3};
#undef TENON_TO_TARGET

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
#define TENON_LIMB(name, torso) TENON_LOCAL("(xpos('" name "') - xpos('" torso "'))", "xmat('" torso "')")
inline constexpr std::array kHumanoidSeen = {"qpos[7:]",
                                             "xpos('head')[2]",
                                             TENON_LIMB("left_hand", "torso"),
                                             TENON_LIMB("left_foot", "torso"),
                                             TENON_LIMB("right_hand", "torso"),
                                             TENON_LIMB("right_foot", "torso"),
                                             "xmat('torso')[6:9]",
                                             "sensor('torso_subtreelinvel')",
                                             "qvel"};
#define TENON_STANDING(upright)                          \
    "(" TENON_SMALL_CONTROL                              \
    ") * (tolerance(xpos('head')[2], 1.4, inf, 0.35) * " \
    "tolerance_linear(" upright ", 0.9, inf, 1.9, 0)) * "
#define TENON_SLOW(velocity) "mean(tolerance(" velocity "[0:2], 0, 0, 2))"
#define TENON_MOVING(velocity, speed) \
    "((5 * tolerance_linear(norm(" velocity "[0:2]), " speed ", inf, " speed ", 0) + 1) / 6)"
#define TENON_UPRIGHT TENON_STANDING("xmat('torso')[8]")
#define TENON_VELOCITY "sensor('torso_subtreelinvel')"
inline constexpr const char* kHumanoidStandReward = TENON_UPRIGHT TENON_SLOW(TENON_VELOCITY);
inline constexpr const char* kHumanoidWalkReward = TENON_UPRIGHT TENON_MOVING(TENON_VELOCITY, "1");
inline constexpr const char* kHumanoidRunReward = TENON_UPRIGHT TENON_MOVING(TENON_VELOCITY, "10");
#undef TENON_UPRIGHT
#undef TENON_VELOCITY
inline constexpr DmTask kHumanoidStand = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidStandReward,
                                          randomise_joints_apart};
inline constexpr DmTask kHumanoidWalk = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidWalkReward,
                                         randomise_joints_apart};
inline constexpr DmTask kHumanoidRun = {"humanoid.xml", 0.025, kHumanoidSeen, kHumanoidRunReward,
                                        randomise_joints_apart};
inline constexpr DmTask kHumanoidRunPureState = {"humanoid.xml", 0.025, kState, kHumanoidRunReward,
                                                 randomise_joints_apart};

// --- humanoid_CMU
inline constexpr std::array kHumanoidCmuSeen = {"qpos[7:]",
                                                "xpos('head')[2]",
                                                TENON_LIMB("lhand", "thorax"),
                                                TENON_LIMB("lfoot", "thorax"),
                                                TENON_LIMB("rhand", "thorax"),
                                                TENON_LIMB("rfoot", "thorax"),
                                                "xmat('thorax')[6:9]",
                                                "sensor('thorax_subtreelinvel')",
                                                "qvel"};
#define TENON_UPRIGHT TENON_STANDING("xmat('thorax')[7]")
#define TENON_VELOCITY "sensor('thorax_subtreelinvel')"
inline constexpr DmTask kHumanoidCmuStand = {"humanoid_CMU.xml", 0.02, kHumanoidCmuSeen,
                                             TENON_UPRIGHT TENON_SLOW(TENON_VELOCITY), randomise_joints_apart};
inline constexpr DmTask kHumanoidCmuWalk = {"humanoid_CMU.xml", 0.02, kHumanoidCmuSeen,
                                            TENON_UPRIGHT TENON_MOVING(TENON_VELOCITY, "1"), randomise_joints_apart};
inline constexpr DmTask kHumanoidCmuRun = {"humanoid_CMU.xml", 0.02, kHumanoidCmuSeen,
                                           TENON_UPRIGHT TENON_MOVING(TENON_VELOCITY, "10"), randomise_joints_apart};
#undef TENON_UPRIGHT
#undef TENON_VELOCITY
#undef TENON_LIMB
#undef TENON_STANDING
#undef TENON_SLOW
#undef TENON_MOVING

// --- pendulum
inline constexpr std::array kPendulumSeen = {"[xmat('pole')[8], xmat('pole')[2]]", "qvel"};
inline void start_pendulum(const DmStart& start) {
    *qpos_of(start, "hinge") = start.rng.uniform(-std::numbers::pi, std::numbers::pi);
}
inline constexpr DmTask kPendulumSwingup = {"pendulum.xml", 0, kPendulumSeen,
                                            "tolerance(xmat('pole')[8], cos(8 * pi / 180), 1, 0)", start_pendulum};

// --- point_mass
inline constexpr const char* kPointMassReward =
    "tolerance(norm(geom_xpos('target') - geom_xpos('pointmass')), 0, geom_size('target')[0], geom_size('target')[0]) "
    "* (" TENON_SMALL_CONTROL ")";
inline constexpr DmTask kPointMassEasy = {"point_mass.xml", 0, kState, kPointMassReward, randomise_joints};
// Each control moves it in a direction that is drawn for the episode.
inline void start_hard_point_mass(const DmStart& start) {
    randomise_joints(start);
    const auto draw = [&](double* direction) {
        const double x = start.rng.normal();
        const double y = start.rng.normal();
        const double length = std::sqrt(x * x + y * y);
        direction[0] = x / length;
        direction[1] = y / length;
    };
    const std::span<double> both = start.input;
    draw(both.data());
    do {
        draw(both.data() + 2);
    } while (std::abs(both[0] * both[2] + both[1] * both[3]) > 0.9);
}
inline void set_directions(mjModel& model, std::span<const double> both) {
    std::ranges::copy(both, model.wrap_prm);
}
inline constexpr DmTask kPointMassHard = {.file = "point_mass.xml",
                                          .control_step = 0,
                                          .observation = kState,
                                          .reward = kPointMassReward,
                                          .start = start_hard_point_mass,
                                          .target = 4,
                                          .place = set_directions};

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

// --- swimmer, whose target is of this lane as well
#define TENON_NOSE "[target, geom_xpos('target')[2]] - geom_xpos('nose')"
#define TENON_TO_TARGET "(" TENON_LOCAL("(" TENON_NOSE ")", "xmat('head')") ")[0:2]"
#define TENON_SIX_LINKS                                                                                          \
    "[sensordata[12:14], sensordata[17], sensordata[18:20], sensordata[23], sensordata[24:26], sensordata[29], " \
    "sensordata[30:32], sensordata[35], sensordata[36:38], sensordata[41], sensordata[42:44], sensordata[47]"
inline constexpr std::array kSwimmer6Seen = {"qpos[3:]", TENON_TO_TARGET, TENON_SIX_LINKS "]"};
inline constexpr std::array kSwimmer15Seen = {
    "qpos[3:]", TENON_TO_TARGET,
    TENON_SIX_LINKS
    ", sensordata[48:50], sensordata[53], sensordata[54:56], sensordata[59], sensordata[60:62], sensordata[65], "
    "sensordata[66:68], sensordata[71], sensordata[72:74], sensordata[77], sensordata[78:80], sensordata[83], "
    "sensordata[84:86], sensordata[89], sensordata[90:92], sensordata[95], sensordata[96:98], sensordata[101]]"};
inline constexpr const char* kSwimmerReward =
    "tolerance_long_tail(norm(" TENON_TO_TARGET "), 0, geom_size('target')[0], 5 * geom_size('target')[0], 0.1)";
#undef TENON_NOSE
#undef TENON_TO_TARGET
#undef TENON_SIX_LINKS
inline void start_swimmer(const DmStart& start) {
    randomise_joints(start);
    const double box = start.rng.uniform() < 0.2 ? 0.3 : 2;
    start.input[0] = start.rng.uniform(-box, box);
    start.input[1] = start.rng.uniform(-box, box);
}
inline constexpr DmTask kSwimmer6 = {.file = "swimmer.xml",
                                     .control_step = 0.03,
                                     .observation = kSwimmer6Seen,
                                     .reward = kSwimmerReward,
                                     .start = start_swimmer,
                                     .target = 2,
                                     .build = make_swimmer6};
inline constexpr DmTask kSwimmer15 = {.file = "swimmer.xml",
                                      .control_step = 0.03,
                                      .observation = kSwimmer15Seen,
                                      .reward = kSwimmerReward,
                                      .start = start_swimmer,
                                      .target = 2,
                                      .build = make_swimmer15};

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
#undef TENON_LOCAL

}  // namespace physics
