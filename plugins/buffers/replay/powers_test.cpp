// SPDX-License-Identifier: Apache-2.0
// Compares the powers with those of the C library in double.
#include "powers.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace powers_test {

TEST_CASE("powers are those of the C library to a few units in the last place") {
    std::mt19937 dice(1);
    std::uniform_real_distribution<double> decades(-30, 28);
    for (const float power : {0.6F, -0.4F, -1.0F, 1.0F, 0.1F, -0.7310585F, 2.0F}) {
        std::vector<float> numbers;
        for (int i = 0; i < 100000; ++i) {
            numbers.push_back(static_cast<float>(std::pow(10.0, decades(dice) / std::max(1.0F, std::abs(power)))));
        }
        std::vector<float> raised = numbers;
        powers::raise(raised, power);
        double worst = 0;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const double exact = std::pow(static_cast<double>(numbers[i]), static_cast<double>(power));
            worst = std::max(worst, std::abs(static_cast<double>(raised[i]) / exact - 1));
        }
        CAPTURE(power, worst);
        CHECK(worst < 4e-7);
    }
}

TEST_CASE("1 stays 1, and the power 0 makes 1 of everything") {
    std::vector<float> ones(7, 1);
    powers::raise(ones, 0.37F);
    CHECK(ones == std::vector<float>(7, 1));
    std::vector<float> some = {1e-30F, 0.3F, 7, 1e28F, 12};
    powers::raise(some, 0);
    CHECK(some == std::vector<float>(5, 1));
}

TEST_CASE("a number does not depend on its neighbours, nor on how many the machine takes at a time") {
    std::mt19937 dice(2);
    std::uniform_real_distribution<float> any(1e-6F, 300);
    std::vector<float> numbers;
    for (int i = 0; i < 1003; ++i) {
        numbers.push_back(any(dice));
    }
    std::vector<float> together = numbers;
    powers::raise(together, 0.6F);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CHECK(powers::of(numbers[i], powers::Split(0.6F)) == together[i]);
    }
}

TEST_CASE("what leaves the range of floats stays a positive number") {
    const float infinity = std::numeric_limits<float>::infinity();
    for (const float power : {10.0F, -10.0F, 0.6F, -0.4F}) {
        std::vector<float> numbers = {0, 1e-45F, 1e-38F, 1e38F, infinity};
        powers::raise(numbers, power);
        for (const float number : numbers) {
            CAPTURE(power, number);
            CHECK(number > 0);
            CHECK(std::isfinite(number));
        }
    }
}

}  // namespace powers_test
