// SPDX-License-Identifier: Apache-2.0
// Sums and norms in NumPy's order of additions, so that rewards equal Gymnasium's to the last bit.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace physics {

// numpy.sum of what `term` gives for the values: eight partial sums for 8 to 128 elements, and halves for more.
template <class Element, class Term>
Element sum_of(std::span<const Element> values, const Term& term) {
    constexpr std::size_t kBlock = 128;
    if (values.size() > kBlock) {
        const std::size_t half = values.size() / 2 / 8 * 8;
        return sum_of<Element>(values.first(half), term) + sum_of<Element>(values.subspan(half), term);
    }
    std::size_t i = 0;
    Element sum = 0;
    if (values.size() >= 8) {
        std::array<Element, 8> part{};
        for (; i + 8 <= values.size(); i += 8) {
            for (std::size_t k = 0; k < 8; ++k) {
                part[k] += term(values[i + k]);
            }
        }
        sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
    for (; i < values.size(); ++i) {
        sum += term(values[i]);
    }
    return sum;
}

template <class Element>
Element sum_of_squares(std::span<const Element> values) {
    return sum_of<Element>(values, [](Element x) { return x * x; });
}

// The sum of the squares of map(value).
template <class Element, class Map>
Element sum_of_squares(std::span<const Element> values, const Map& map) {
    return sum_of<Element>(values, [&](Element x) { return map(x) * map(x); });
}

// NumPy's x ** 2, which is pow: it rounds differently from x * x once in some thousand times. If the compiler knew the
// exponent, it would compute x * x.
inline double squared(double x) {
    static const volatile double two = 2;
    return std::pow(x, two);
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
