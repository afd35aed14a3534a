// SPDX-License-Identifier: Apache-2.0
// Laws of initial values: moments, orthogonality, and what they do and do not depend on.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random/key.hpp"
#include "base/random/normal.hpp"
#include "compute/parameters/orthogonal.hpp"
#include "small_network.hpp"
#include "support/catch.hpp"

namespace initialise_test {

using namespace tenon;

namespace {

using test::make_network;
using test::parameter;
using test::span_of;

std::vector<double> values_of(const Network& network, std::string_view name) {
    const std::span<double> values = span_of<double>(network.live, *network.layout.find(name));
    return {values.begin(), values.end()};
}

double moment(const std::vector<double>& values, int order) {
    double sum = 0;
    for (const double x : values) {
        sum += std::pow(x, order);
    }
    return sum / static_cast<double>(values.size());
}

TEST_CASE("constants fill, zeros stay") {
    const Network network =
        make_network("q", {parameter("a", {3}, "constant", -0.1), parameter("b", {3})}, DType::kF64, 2);
    CHECK(values_of(network, "a") == std::vector<double>(6, -0.1));
    CHECK(values_of(network, "b") == std::vector<double>(6, 0.0));
}

// Of neighbours, so that no number is drawn twice.
double covariance(const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
        sum += values[i - 1] * values[i];
    }
    return sum / static_cast<double>(values.size() - 1);
}

// 100,000 draws; bounds are five standard errors of the moment.
TEST_CASE("uniform values have the moments of their interval and stay in it") {
    const std::vector<double> values =
        values_of(make_network("q", {parameter("w", {100, 1000}, "uniform", 0.2)}, DType::kF64), "w");
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    CHECK(*low >= -0.2);
    CHECK(*low < -0.1999);
    CHECK(*high <= 0.2);
    CHECK(*high > 0.1999);
    const double error = 5 / std::sqrt(1e5);
    CHECK(std::abs(moment(values, 1)) < error * 0.2 / std::sqrt(3.0));
    CHECK(std::abs(moment(values, 2) - 0.04 / 3) < error * 0.04 * std::sqrt(4.0 / 45));
    CHECK(std::abs(covariance(values)) < error * 0.04 / 3);
}

TEST_CASE("normal values have the moments of their distribution") {
    const std::vector<double> values =
        values_of(make_network("q", {parameter("w", {100, 1000}, "normal", 3)}, DType::kF64), "w");
    const double error = 5 / std::sqrt(1e5);
    CHECK(std::abs(moment(values, 1)) < error * 3);
    CHECK(std::abs(moment(values, 2) - 9) < error * 9 * std::sqrt(2.0));
    CHECK(std::abs(moment(values, 3)) < error * 27 * std::sqrt(15.0));
    CHECK(std::abs(moment(values, 4) - 243) < error * 81 * std::sqrt(96.0));
    CHECK(std::abs(covariance(values)) < error * 9);
}

TEST_CASE("orthogonal: the shorter side times its transpose is gain squared times the identity") {
    const auto shape = GENERATE(values<std::vector<std::int64_t>>(
        {{1, 1}, {4, 4}, {3, 9}, {9, 3}, {64, 64}, {1, 5}, {5, 1}, {128, 37}, {8, 3, 5}}));
    const double gain = GENERATE(std::sqrt(2.0), 0.01);
    const Network network = make_network("q", {parameter("w", shape, "orthogonal", gain)}, DType::kF64, 2);
    const std::vector<double> both = values_of(network, "w");
    const auto rows = static_cast<std::size_t>(shape[0]);
    const std::size_t columns = both.size() / 2 / rows;
    const bool wide = rows <= columns;
    const std::size_t count = std::min(rows, columns);
    const std::size_t length = std::max(rows, columns);
    CAPTURE(rows, columns, gain);
    double worst = 0;
    for (std::size_t member = 0; member < 2; ++member) {
        const double* q = both.data() + member * rows * columns;
        const auto at = [&](std::size_t vector, std::size_t i) {
            return wide ? q[vector * columns + i] : q[i * columns + vector];
        };
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = 0; b < count; ++b) {
                double dot = 0;
                for (std::size_t i = 0; i < length; ++i) {
                    dot += at(a, i) * at(b, i);
                }
                worst = std::max(worst, std::abs(dot - (a == b ? gain * gain : 0)));
            }
        }
    }
    CHECK(worst < 1e-14 * gain * gain);
}

// One round of Gram-Schmidt leaves 1e-6 here: the matrix is as good as singular.
TEST_CASE("rows that are almost dependent come out orthonormal") {
    constexpr std::size_t kSide = 8;
    std::vector<double> rows(kSide * kSide);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t diagonal = i / kSide + i % kSide + 1;
        rows[i] = 1 / static_cast<double>(diagonal);  // Hilbert's matrix, condition 1.5e10
    }
    orthonormalise(rows, kSide, kSide);
    for (std::size_t a = 0; a < kSide; ++a) {
        for (std::size_t b = 0; b < kSide; ++b) {
            const double dot = std::inner_product(&rows[a * kSide], &rows[a * kSide] + kSide, &rows[b * kSide], 0.0);
            CHECK(std::abs(dot - (a == b ? 1 : 0)) < 1e-15 * 8);
        }
    }
}

// Torch multiplies Q by the signs of R's diagonal, so that R = Q^T A has a positive one; and R is upper triangular.
TEST_CASE("orthogonal values are the Q of the QR decomposition of a normal matrix, R's diagonal positive") {
    constexpr std::size_t kRows = 7;
    constexpr std::size_t kColumns = 4;
    const Network network = make_network("q", {parameter("w", {kRows, kColumns}, "orthogonal", 1)}, DType::kF64, 1, 11);
    const std::vector<double> q = values_of(network, "w");
    std::vector<double> a(kRows * kColumns);
    fill_normal(make_key(11, "network.q/init/w/0"), 0, a.data(), a.size());
    for (std::size_t i = 0; i < kColumns; ++i) {
        for (std::size_t j = 0; j < kColumns; ++j) {
            double r = 0;
            for (std::size_t k = 0; k < kRows; ++k) {
                r += q[k * kColumns + i] * a[k * kColumns + j];
            }
            CAPTURE(i, j, r);
            if (i == j) {
                CHECK(r > 0.01);
            } else if (i > j) {
                CHECK(std::abs(r) < 1e-14);
            }
        }
    }
}

TEST_CASE("values depend on seed, role, name and member, and on nothing else") {
    const std::string init = GENERATE("uniform", "normal", "orthogonal");
    CAPTURE(init);
    const Parameter w = parameter("w", {4, 6}, init, 0.5);
    const Parameter v = parameter("v", {4, 6}, init, 0.5);
    const std::vector<double> two = values_of(make_network("q", {w, v}, DType::kF64, 2), "w");
    const std::vector<double> member0(two.begin(), two.begin() + 24);
    const std::vector<double> member1(two.begin() + 24, two.end());

    CHECK(values_of(make_network("q", {parameter("first", {9}), v, w}, DType::kF64, 2), "w") == two);
    CHECK(values_of(make_network("q", {w}, DType::kF64, 1), "w") == member0);
    CHECK(member0 != member1);
    CHECK(values_of(make_network("q", {w}, DType::kF64, 1, 2), "w") != member0);
    CHECK(values_of(make_network("p", {w}, DType::kF64, 1), "w") != member0);
    CHECK(values_of(make_network("q", {v}, DType::kF64, 1), "v") != member0);
}

TEST_CASE("float32 values are the rounded float64 values") {
    const std::string init = GENERATE("constant", "uniform", "normal", "orthogonal");
    const Parameter w = parameter("w", {5, 9}, init, 0.3);
    const std::vector<double> wide = values_of(make_network("q", {w}, DType::kF64), "w");
    const Network narrow = make_network("q", {w}, DType::kF32);
    const std::span<float> values = span_of<float>(narrow.live, *narrow.layout.find("w"));
    for (std::size_t i = 0; i < wide.size(); ++i) {
        CHECK(values[i] == static_cast<float>(wide[i]));
    }
}

TEST_CASE("a target begins as a copy of live, and only where wanted") {
    const std::vector<Parameter> parameters = {parameter("w", {3, 5}, "normal", 1),
                                               parameter("m", {3}, "constant", 2, false)};
    const Network with = make_network("q", parameters, DType::kF32, 1, 1, true);
    CHECK(std::ranges::equal(span_of<float>(with.target), span_of<float>(with.live)));
    CHECK(span_of<float>(with.live, *with.layout.find("m"))[0] == 2);
    CHECK(make_network("q", parameters, DType::kF32).target.empty());
}

}  // namespace
}  // namespace initialise_test
