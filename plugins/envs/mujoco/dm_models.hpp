// SPDX-License-Identifier: Apache-2.0
// What dm_control's suite adds to a file of MJCF when it makes a model.
#pragma once

#include "simulator.hpp"

namespace physics {

// Cartpoles with so many poles, one at the end of the other (dm_control/suite/cartpole.py).
void add_second_pole(mjSpec& model);
void add_three_poles(mjSpec& model);

// Swimmers with so many links (dm_control/suite/swimmer.py).
void make_swimmer6(mjSpec& model);
void make_swimmer15(mjSpec& model);

}  // namespace physics
