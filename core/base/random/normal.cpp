// SPDX-License-Identifier: Apache-2.0
#include "base/random/normal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/simd/normals.hpp"

namespace tenon {
namespace {

constexpr std::size_t kBlocks = 32;  // at a time

template <class Real>
void fill(tn_key key, std::uint64_t counter, Real* out, std::uint64_t count) {
    std::array<double, 2 * kBlocks> pairs;
    while (count > 0) {
        const std::uint64_t left_out = counter % 2;
        const std::uint64_t taken = std::min<std::uint64_t>(pairs.size() - left_out, count);
        simd::normal_pairs(key, counter / 2, (left_out + taken + 1) / 2, pairs.data());
        std::transform(pairs.data() + left_out, pairs.data() + left_out + taken, out,
                       [](double x) { return static_cast<Real>(x); });
        counter += taken;
        out += taken;
        count -= taken;
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
