// SPDX-License-Identifier: Apache-2.0
#include "mountain_car.hpp"
#include "mountain_car_continuous.hpp"

TENON_CODE(tenon::EnvAdapter<MountainCar>);
TENON_CODE(tenon::EnvAdapter<MountainCarContinuous>);
