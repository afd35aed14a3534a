// SPDX-License-Identifier: Apache-2.0
#include "compute/parameters/orthogonal.hpp"

#include <array>
#include <cmath>

namespace tenon {
namespace {

// Eight parallel sums: a fixed order that the compiler can vectorise.
double dot(const double* a, const double* b, std::size_t length) {
    std::array<double, 8> sums{};
    std::size_t i = 0;
    for (; i + 8 <= length; i += 8) {
        for (std::size_t k = 0; k < 8; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (std::size_t k = 0; i + k < length; ++k) {
        sums[k] += a[i + k] * b[i + k];
    }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

}  // namespace

void orthonormalise(std::span<double> rows, std::size_t count, std::size_t length) {
    for (std::size_t r = 0; r < count; ++r) {
        double* row = rows.data() + r * length;
        // One round of Gram-Schmidt loses orthogonality by cancellation; a second one makes the rows orthogonal to
        // working precision (Giraud, Langou and Rozloznik, "The loss of orthogonality in the Gram-Schmidt process",
        // 2005).
        for (int round = 0; round < 2; ++round) {
            for (std::size_t before = 0; before < r; ++before) {
                const double* base = rows.data() + before * length;
                const double share = dot(row, base, length);
                for (std::size_t i = 0; i < length; ++i) {
                    row[i] -= share * base[i];
                }
            }
        }
        const double norm = std::sqrt(dot(row, row, length));
        for (std::size_t i = 0; i < length; ++i) {
            row[i] /= norm;
        }
    }
}

}  // namespace tenon
