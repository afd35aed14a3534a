// SPDX-License-Identifier: Apache-2.0
// The classic control problems.
#include "acrobot.hpp"
#include "cartpole.hpp"
#include "mountain_car.hpp"
#include "mountain_car_continuous.hpp"
#include "pendulum.hpp"

// Code: cars.cpp and pendulums.cpp.
TENON_CODE_ELSEWHERE(tenon::EnvAdapter<Acrobot>);
TENON_CODE_ELSEWHERE(tenon::EnvAdapter<CartPole>);
TENON_CODE_ELSEWHERE(tenon::EnvAdapter<MountainCar>);
TENON_CODE_ELSEWHERE(tenon::EnvAdapter<MountainCarContinuous>);
TENON_CODE_ELSEWHERE(tenon::EnvAdapter<Pendulum>);

TENON_PLUGIN("classic", "0.1.0",
             tenon::env<CartPole>("CartPole-v1", "keep a pole upright on a cart that moves left or right"),
             tenon::env<Pendulum>("Pendulum-v1", "swing a rod up and hold it there"),
             tenon::env<MountainCar>("MountainCar-v0", "get a weak car up a hill by swinging"),
             tenon::env<MountainCarContinuous>("MountainCarContinuous-v0",
                                               "the same with continuous force, which costs reward"),
             tenon::env<Acrobot>("Acrobot-v1", "swing up two links with a motor between them"));
