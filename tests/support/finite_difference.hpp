// SPDX-License-Identifier: Apache-2.0
// The gradient of a function of many numbers by central differences, to hold computed gradients against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tenon::test {

using Function = std::function<double(std::span<const double>)>;

// (f(x + h) - f(x - h)) / 2h, element by element, with h = step * max(1, |x|). The default balances the error of the
// formula, of the order of h^2, with that of rounding, 2^-53 / h: about 1e-10 times the size of a smooth f remains.
// Where f has a kink within h of x the result lies between the two slopes.
inline std::vector<double> finite_difference(const Function& f, std::span<const double> x, double step = 6e-6) {
    std::vector<double> at(x.begin(), x.end());
    std::vector<double> gradient(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double h = step * std::max(1.0, std::abs(x[i]));
        // Divided by the distance that rounding left, not by 2h.
        const double above = x[i] + h;
        const double below = x[i] - h;
        at[i] = above;
        const double f_above = f(at);
        at[i] = below;
        const double f_below = f(at);
        at[i] = x[i];
        gradient[i] = (f_above - f_below) / (above - below);
    }
    return gradient;
}

// The largest |a - b| / max(1, |a|, |b|) of all elements: small numbers are compared absolutely, large ones relatively.
// Not a number, or of different lengths: infinite.
inline double gradient_difference(std::span<const double> a, std::span<const double> b) {
    if (a.size() != b.size()) {
        return INFINITY;
    }
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]) / std::max({1.0, std::abs(a[i]), std::abs(b[i])});
        worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
    }
    return worst;
}

}  // namespace tenon::test
