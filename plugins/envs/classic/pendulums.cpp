// SPDX-License-Identifier: Apache-2.0
#include "acrobot.hpp"
#include "cartpole.hpp"
#include "pendulum.hpp"

TENON_CODE(tenon::EnvAdapter<Acrobot>);
TENON_CODE(tenon::EnvAdapter<CartPole>);
TENON_CODE(tenon::EnvAdapter<Pendulum>);
