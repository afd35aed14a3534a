// SPDX-License-Identifier: Apache-2.0
#include "support/finite_difference.hpp"

#include <array>
#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace finite_difference_test {

using namespace tenon;
using namespace tenon::test;

namespace {

TEST_CASE("central differences meet a gradient worked out by hand") {
    const std::array<double, 4> x = {0.3, -1.7, 25.0, 0.0};
    const auto f = [](std::span<const double> v) {
        return std::exp(v[0]) * std::sin(v[1]) + 0.01 * v[2] * v[2] + std::tanh(v[3]) * v[0];
    };
    const std::vector<double> expected = {std::exp(0.3) * std::sin(-1.7) + std::tanh(0.0),
                                          std::exp(0.3) * std::cos(-1.7), 0.02 * 25, 0.3};
    CHECK(gradient_difference(finite_difference(f, x), expected) < 1e-9);
}

TEST_CASE("they are exact for a line, whatever the step") {
    const std::array<double, 2> x = {3, -5};
    const auto line = [](std::span<const double> v) { return 2 * v[0] - 7 * v[1]; };
    CHECK(gradient_difference(finite_difference(line, x, 0.125), std::array{2.0, -7.0}) == 0);
}

TEST_CASE("the function sees one element moved at a time, up and down") {
    const std::array<double, 3> x = {1, 2, 3};
    int calls = 0;
    const auto f = [&](std::span<const double> v) {
        int moved = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            moved += v[i] != x[i] ? 1 : 0;
        }
        CHECK(moved == 1);
        ++calls;
        return 0.0;
    };
    CHECK(finite_difference(f, x) == std::vector<double>{0, 0, 0});
    CHECK(calls == 6);
}

TEST_CASE("a difference is relative above 1, absolute below, and infinite where there is none") {
    CHECK(gradient_difference(std::array{1e-3, 100.0}, std::array{2e-3, 100.0}) == Catch::Approx(1e-3));
    CHECK(gradient_difference(std::array{0.0, 100.0}, std::array{0.0, 101.0}) == Catch::Approx(1.0 / 101));
    CHECK(gradient_difference(std::array{1.0, std::nan("")}, std::array{1.0, 2.0}) == INFINITY);
    CHECK(gradient_difference(std::array{std::nan(""), 1.0}, std::array{1.0, 1.0}) == INFINITY);
    CHECK(gradient_difference(std::array{1.0}, std::array{1.0, 2.0}) == INFINITY);
}

}  // namespace
}  // namespace finite_difference_test
