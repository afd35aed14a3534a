// SPDX-License-Identifier: Apache-2.0
#include "dm_starts.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace physics {
void set_quaternion(double* quaternion, std::array<double, 4> values) {
    mju_normalize4(values.data());
    std::ranges::copy(values, quaternion);
}

namespace {

void randomise_joint(const DmStart& start, int joint) {
    double* const qpos = start.data.qpos + start.model.jnt_qposadr[joint];
    const mjtNum* const range = start.model.jnt_range + std::ptrdiff_t{2} * joint;
    const bool limited = start.model.jnt_limited[joint] != 0;
    tenon::Rng& rng = start.rng;
    switch (start.model.jnt_type[joint]) {
        case mjJNT_HINGE:
        case mjJNT_SLIDE:
            if (limited) {
                *qpos = rng.uniform(range[0], range[1]);
            } else if (start.model.jnt_type[joint] == mjJNT_HINGE) {
                *qpos = rng.uniform(-std::numbers::pi, std::numbers::pi);
            }
            break;
        case mjJNT_BALL:
            if (limited) {
                std::array axis = {rng.normal(), rng.normal(), rng.normal()};
                mju_normalize3(axis.data());
                mju_axisAngle2Quat(qpos, axis.data(), rng.uniform() * range[1]);
            } else {
                set_quaternion(qpos, {rng.normal(), rng.normal(), rng.normal(), rng.normal()});
            }
            break;
        default:  // a free joint; the suite draws its quaternion uniformly, from 0 to 1
            set_quaternion(qpos + 3, {rng.uniform(), rng.uniform(), rng.uniform(), rng.uniform()});
            break;
    }
}

}  // namespace

void randomise_joints(const DmStart& start) {
    for (int joint = 0; joint < start.model.njnt; ++joint) {
        randomise_joint(start, joint);
    }
}

void randomise_joints_apart(const DmStart& start) {
    constexpr int kAttempts = 1000;
    for (int i = 0; i < kAttempts; ++i) {
        randomise_joints(start);
        forward(start.model, start.data);
        if (start.data.ncon == 0) {
            return;
        }
    }
    throw tenon::Unavailable("no initial state without contacts was found in " + std::to_string(kAttempts) +
                             " attempts");
}

double* qpos_of(const DmStart& start, const char* joint) {
    const int id = mj_name2id(&start.model, mjOBJ_JOINT, joint);
    if (id < 0) {
        throw tenon::InvalidArgument("the model has no joint '" + std::string(joint) + "'");
    }
    return start.data.qpos + start.model.jnt_qposadr[id];
}

}  // namespace physics
