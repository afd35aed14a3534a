// SPDX-License-Identifier: Apache-2.0
// The picture of both mountain cars: a car on a hill whose height is sin(3x), and a flag at the goal.
#pragma once

#include <cmath>

#include "tenon/picture.hpp"

inline void draw_on_hill(double car, double goal, double left, double right, tenon::Picture& out) {
    const auto height = [](double x) { return 0.45 * std::sin(3 * x); };
    out.show({left, -0.55}, {right, 0.8});
    constexpr int kPieces = 100;
    for (int i = 0; i < kPieces; ++i) {
        const double from = left + (right - left) * i / kPieces, to = left + (right - left) * (i + 1) / kPieces;
        out.line({from, height(from)}, {to, height(to)}, 0.01, {60, 60, 60});
    }
    out.line({goal, height(goal)}, {goal, height(goal) + 0.2}, 0.01, {60, 60, 60});
    out.polygon({{goal, height(goal) + 0.2}, {goal, height(goal) + 0.12}, {goal + 0.1, height(goal) + 0.16}},
                {220, 170, 0});
    out.disc({car, height(car) + 0.05}, 0.05, {40, 90, 180});
}
