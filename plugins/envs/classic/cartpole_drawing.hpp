// SPDX-License-Identifier: Apache-2.0
// The picture of a cart with a pole, on a track that ends at `limit` on both sides.
#pragma once

#include <cmath>

#include "tenon/picture.hpp"

inline void draw_cartpole(double x, double theta, double pole, double limit, tenon::Picture& out) {
    out.show({-limit, -0.5}, {limit, pole + 0.5});
    out.line({-limit, 0}, {limit, 0}, 0.02, {60, 60, 60});
    out.box({x - 0.25, -0.15}, {x + 0.25, 0.15}, {40, 40, 40});
    out.line({x, 0.1}, {x + pole * std::sin(theta), 0.1 + pole * std::cos(theta)}, 0.1, {202, 152, 101});
    out.disc({x, 0.1}, 0.05, {129, 132, 203});
}
