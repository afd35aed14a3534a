// SPDX-License-Identifier: Apache-2.0
// Sums and norms in NumPy's order of additions, so that rewards equal Gymnasium's to the last bit.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace physics {

// numpy.sum(numpy.square(values)): eight partial sums for 8 to 128 elements, and halves for more.
template <class Element>
Element sum_of_squares(std::span<const Element> values) {
    constexpr std::size_t kBlock = 128;
    if (values.size() > kBlock) {
        const std::size_t half = values.size() / 2 / 8 * 8;
        return sum_of_squares(values.first(half)) + sum_of_squares(values.subspan(half));
    }
    std::size_t i = 0;
    Element sum = 0;
    if (values.size() >= 8) {
        std::array<Element, 8> part{};
        for (; i + 8 <= values.size(); i += 8) {
            for (std::size_t k = 0; k < 8; ++k) {
                part[k] += values[i + k] * values[i + k];
            }
        }
        sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
    for (; i < values.size(); ++i) {
        sum += values[i] * values[i];
    }
    return sum;
}

// numpy.linalg.norm of a vector, whose squares OpenBLAS adds with fused multiplications.
inline double norm(std::span<const double> vector) {
    double sum = 0;
    for (const double x : vector) {
        sum = std::fma(x, x, sum);
    }
    return std::sqrt(sum);
}

}  // namespace physics
