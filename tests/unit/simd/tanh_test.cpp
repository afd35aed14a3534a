// SPDX-License-Identifier: Apache-2.0
// tanh of simd/tanh.hpp against the C library's long double over the whole range, at every level that the machine has.
#include "base/simd/tanh.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace tanh_test {

using tenon::simd::Level;

namespace {

std::vector<Level> levels() {
    std::vector<Level> out;
    for (const Level level : {Level::kBase, Level::kAvx2, Level::kAvx512}) {
        if (level <= tenon::simd::level()) {
            out.push_back(level);
        }
    }
    return out;
}

// Every exponent alike, from the smallest subnormal number on, and densely where tanh bends.
std::vector<float> floats() {
    std::vector<float> out;
    for (std::uint32_t bits = 0; bits < std::bit_cast<std::uint32_t>(30.0F); bits += 997) {
        out.push_back(std::bit_cast<float>(bits));
    }
    for (int i = 0; i < 100'000; ++i) {
        out.push_back(static_cast<float>(i) * 1e-4F);
    }
    return out;
}

std::vector<double> doubles() {
    std::mt19937_64 generator(1);
    std::uniform_int_distribution<std::uint64_t> bits(0, std::bit_cast<std::uint64_t>(30.0));
    std::vector<double> out;
    for (int i = 0; i < 500'000; ++i) {
        out.push_back(std::bit_cast<double>(bits(generator)));
        out.push_back(static_cast<double>(i) * 5e-5);
        out.push_back(static_cast<double>(i) * 1e-6);
    }
    return out;
}

// In units of the last place of the true value.
template <class Real>
long double error(Real have, Real x) {
    const long double wanted = std::tanh(static_cast<long double>(x));
    const Real near = std::abs(static_cast<Real>(wanted));
    const Real unit = std::nextafter(near, std::numeric_limits<Real>::infinity()) - near;
    return std::abs(have - wanted) / unit;
}

template <class Real>
void check_range(const std::vector<Real>& x) {
    for (const Level level : levels()) {
        CAPTURE(static_cast<int>(level));
        std::vector<Real> y(x.size());
        tenon::simd::tanh(x.data(), y.data(), x.size(), level);
        std::size_t worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            worst = error(y[i], x[i]) > error(y[worst], x[worst]) ? i : worst;
        }
        CAPTURE(x[worst], y[worst]);
        CHECK(error(y[worst], x[worst]) < 3);
        std::vector<Real> negative(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            negative[i] = -x[i];
        }
        tenon::simd::tanh(negative.data(), negative.data(), x.size(), level);
        bool odd = true;
        for (std::size_t i = 0; i < x.size(); ++i) {
            odd = odd && negative[i] == -y[i];
        }
        CHECK(odd);
    }
}

template <class Real>
void check_edges() {
    using Limits = std::numeric_limits<Real>;
    for (const Level level : levels()) {
        const std::vector<Real> x = {
            Real{0},          -Real{0}, Limits::infinity(),  -Limits::infinity(), Limits::max(),
            Limits::lowest(), Real{25}, Limits::quiet_NaN(), Limits::denorm_min()};
        std::vector<Real> y(x.size());
        tenon::simd::tanh(x.data(), y.data(), x.size(), level);
        CHECK((y[0] == 0 && !std::signbit(y[0])));
        CHECK((y[1] == 0 && std::signbit(y[1])));
        CHECK(std::vector<Real>(y.begin() + 2, y.begin() + 7) == std::vector<Real>{1, -1, 1, -1, 1});
        CHECK(std::isnan(y[7]));
        CHECK(y[8] == x[8]);
    }
}

}  // namespace

TEST_CASE("tanh is within 3 units in the last place, and odd, in float32") {
    check_range(floats());
}

TEST_CASE("tanh is within 3 units in the last place, and odd, in float64") {
    check_range(doubles());
}

TEST_CASE("tanh at zeros, infinities and NaN") {
    check_edges<float>();
    check_edges<double>();
}

TEST_CASE("tanh has the same bits with AVX2 and with AVX-512") {
    if (tenon::simd::level() != Level::kAvx512) {
        SKIP("this machine has no AVX-512, or TENON_LEVEL leaves it out: nothing to compare");
    }
    const auto check = [](const auto& x) {
        auto one = x;
        auto other = x;
        tenon::simd::tanh(x.data(), one.data(), x.size(), Level::kAvx2);
        tenon::simd::tanh(x.data(), other.data(), x.size(), Level::kAvx512);
        CHECK(one == other);
    };
    check(floats());
    check(doubles());
}

TEST_CASE("tanh of a number does not depend on where it stands") {
    const std::vector<float> all = floats();
    for (const Level level : levels()) {
        std::vector<float> whole(100);
        tenon::simd::tanh(all.data() + 50'000, whole.data(), whole.size(), level);
        for (std::size_t count = 1; count < whole.size(); ++count) {
            std::vector<float> part(count);
            tenon::simd::tanh(all.data() + 50'000 + (whole.size() - count), part.data(), count, level);
            CHECK(std::equal(part.begin(), part.end(), whole.end() - static_cast<std::ptrdiff_t>(count)));
        }
    }
}

}  // namespace tanh_test
