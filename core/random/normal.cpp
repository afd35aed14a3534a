// SPDX-License-Identifier: Apache-2.0
#include "random/normal.hpp"

#include <cmath>
#include <numbers>

namespace tenon {
namespace {

struct Pair {
    double even;
    double odd;
};

Pair normal_pair(tn_key key, std::uint64_t block) {
    const tn_random_block random = tn_philox(key, block);
    const double u = tn_uniform(random.word[0], random.word[1]);
    const double v = tn_uniform(random.word[2], random.word[3]);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - u));  // 1 - u is exact and never 0
    const double angle = 2.0 * std::numbers::pi * v;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <class Real>
void fill(tn_key key, std::uint64_t counter, Real* out, std::uint64_t count) {
    std::uint64_t i = 0;
    if (count > 0 && counter % 2 == 1) {
        out[i++] = static_cast<Real>(normal_pair(key, counter / 2).odd);
    }
    for (; count - i >= 2; i += 2) {
        const Pair pair = normal_pair(key, (counter + i) / 2);
        out[i] = static_cast<Real>(pair.even);
        out[i + 1] = static_cast<Real>(pair.odd);
    }
    if (i < count) {
        out[i] = static_cast<Real>(normal_pair(key, (counter + i) / 2).even);
    }
}

}  // namespace

void fill_normal(tn_key key, std::uint64_t counter, double* out, std::uint64_t count) {
    fill(key, counter, out, count);
}

void fill_normal(tn_key key, std::uint64_t counter, float* out, std::uint64_t count) {
    fill(key, counter, out, count);
}

}  // namespace tenon
