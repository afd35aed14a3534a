// SPDX-License-Identifier: Apache-2.0
#include "commands/run/interval.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace tenon {
namespace {

// The 97.5 % quantile of Student's t.
double t_quantile(std::size_t degrees) {
    constexpr std::array<double, 10> kFew = {12.7062, 4.30265, 3.18245, 2.77645, 2.57058,
                                             2.44691, 2.36462, 2.30600, 2.26216, 2.22814};
    if (degrees <= kFew.size()) {
        return kFew[degrees - 1];
    }
    // Cornish and Fisher's expansion around the normal quantile; within 0.001 from 11 degrees on.
    const double z = 1.959964;
    const double n = static_cast<double>(degrees);
    const double z3 = z * z * z;
    const double z5 = z3 * z * z;
    const double z7 = z5 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n);
}

}  // namespace

MeanInterval mean_interval(std::span<const double> values) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    const double count = static_cast<double>(values.size());
    MeanInterval out{.mean = values.empty() ? kNone : sum / count, .half = kNone};
    if (values.size() > 1) {
        double squares = 0;
        for (const double value : values) {
            squares += (value - out.mean) * (value - out.mean);
        }
        out.half = t_quantile(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
    }
    return out;
}

}  // namespace tenon
