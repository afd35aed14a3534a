// SPDX-License-Identifier: Apache-2.0
// How episodes of dm_control's tasks begin.
#pragma once

#include <array>

#include "dm_task.hpp"

namespace physics {

// Limited joints anywhere within their limits, unlimited rotations anywhere; free joints keep their place.
void randomise_joints(const DmStart& start);

// The same until nothing touches.
void randomise_joints_apart(const DmStart& start);

// The normalised values.
void set_quaternion(double* quaternion, std::array<double, 4> values);

double* qpos_of(const DmStart& start, const char* joint);

}  // namespace physics
