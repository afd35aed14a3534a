// SPDX-License-Identifier: Apache-2.0
#include "base/random/normal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/random/key.hpp"
#include "support/catch.hpp"

namespace normal_test {

using namespace tenon;

namespace {

std::vector<double> draw(tn_key key, std::uint64_t counter, std::size_t count) {
    std::vector<double> out(count);
    fill_normal(key, counter, out.data(), count);
    return out;
}

double distribution(double x) {
    return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

TEST_CASE("an element is the documented function of its block") {
    constexpr std::uint64_t kBlocks = 100'000;
    const tn_key key = make_key(3, "test");
    const std::vector<double> x = draw(key, 0, 2 * kBlocks);
    long double worst = 0;
    for (std::uint64_t b = 0; b < kBlocks; ++b) {
        const tn_random_block block = tn_philox(key, b);
        const long double u = tn_uniform(block.word[0], block.word[1]);
        const long double v = tn_uniform(block.word[2], block.word[3]);
        const long double radius = std::sqrt(-2 * std::log(1 - u));
        worst = std::max({worst, std::abs(x[2 * b] - radius * std::cos(2 * std::numbers::pi_v<long double> * v)),
                          std::abs(x[2 * b + 1] - radius * std::sin(2 * std::numbers::pi_v<long double> * v))});
    }
    CHECK(worst < 2e-15);
}

TEST_CASE("any cut gives the same numbers") {
    const tn_key key = make_key(11, "cut");
    for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{5}, (std::uint64_t{1} << 33U) - 3}) {
        const std::vector<double> whole = draw(key, start, 257);
        for (const std::size_t piece : {1U, 2U, 3U, 64U, 255U}) {
            std::vector<double> cut;
            for (std::size_t first = 0; first < whole.size(); first += piece) {
                const std::vector<double> part = draw(key, start + first, std::min(piece, whole.size() - first));
                cut.insert(cut.end(), part.begin(), part.end());
            }
            CHECK(cut == whole);
        }
    }
}

TEST_CASE("floats are the rounded doubles") {
    const tn_key key = make_key(1, "float");
    const std::vector<double> wide = draw(key, 9, 33);
    std::vector<float> narrow(33);
    fill_normal(key, 9, narrow.data(), 33);
    for (std::size_t i = 0; i < wide.size(); ++i) {
        CHECK(narrow[i] == static_cast<float>(wide[i]));
    }
}

TEST_CASE("moments and shape are those of the standard normal") {
    constexpr std::size_t kCount = 200'000;
    std::vector<double> x = draw(make_key(2024, "moments"), 0, kCount);
    double sum = 0;
    double square = 0;
    double cube = 0;
    double fourth = 0;
    double neighbours = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        sum += x[i];
        square += x[i] * x[i];
        cube += x[i] * x[i] * x[i];
        fourth += x[i] * x[i] * x[i] * x[i];
        neighbours += i > 0 ? x[i] * x[i - 1] : 0;
    }
    // Four standard errors each: variances of x, x^2, x^3, x^4 and of products are 1, 2, 15, 96 and 1.
    const double n = kCount;
    const double root = std::sqrt(n);
    CHECK(std::abs(sum / n) < 4 / root);
    CHECK(std::abs(square / n - 1) < 4 * std::sqrt(2.0) / root);
    CHECK(std::abs(cube / n) < 4 * std::sqrt(15.0) / root);
    CHECK(std::abs(fourth / n - 3) < 4 * std::sqrt(96.0) / root);
    CHECK(std::abs(neighbours / n) < 4 / root);

    std::sort(x.begin(), x.end());
    double distance = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const double expected = distribution(x[i]);
        distance =
            std::max({distance, expected - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - expected});
    }
    CHECK(distance * root < 1.63);  // Kolmogorov and Smirnov at one per cent
    CHECK(distance * root > 0.2);   // too good would be wrong as well
}

}  // namespace normal_test
