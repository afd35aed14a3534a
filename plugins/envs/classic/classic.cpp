// SPDX-License-Identifier: Apache-2.0
// The classic control problems.
#include "cartpole.hpp"

TENON_PLUGIN("classic", "0.1.0",
             tenon::env<CartPole>("CartPole-v1", "keep a pole upright on a cart that moves left or right"));
