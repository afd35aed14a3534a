// SPDX-License-Identifier: Apache-2.0
// The Gaussian process, the front of loss and cost, and the search along it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "commands/sweep/search/gaussian_process.hpp"
#include "commands/sweep/search/search.hpp"
#include "support/catch.hpp"

namespace cost_aware_test {

using namespace tenon;

TEST_CASE("a Gaussian process passes through its points, and is unsure far from them") {
    std::vector<std::vector<double>> points;
    std::vector<double> values;
    for (int i = 0; i <= 10; ++i) {
        points.push_back({i / 10.0});
        values.push_back(std::sin(3 * i / 10.0));
    }
    const GaussianProcess process(points, values);
    const std::vector<double> between = {0.45};
    CHECK(std::abs(process.at(between).mean - std::sin(3 * 0.45)) < 0.01);
    const std::vector<double> far = {4};
    CHECK(process.at(far).deviation > 20 * process.at(between).deviation);
}

TEST_CASE("equal values are no mistake of a Gaussian process") {
    const std::vector<double> values = {2, 2};
    const GaussianProcess process({{0.5}, {0.5}}, values);
    CHECK(std::abs(process.at(std::vector<double>{0.5}).mean - 2) < 1e-9);
}

TEST_CASE("the front has the points that no other one beats in loss and cost") {
    const std::vector<Observation> known = {
        {.point = {}, .loss = 5, .cost = 1},     {.point = {}, .loss = 4, .cost = 3},
        {.point = {}, .loss = 6, .cost = 2},     {.point = {}, .loss = 1, .cost = 9},
        {.point = {}, .loss = NAN, .cost = 0.1}, {.point = {}, .loss = 1, .cost = 10},
        {.point = {}, .loss = 5, .cost = 1}};
    CHECK(pareto_front(known) == std::vector<std::size_t>{0, 1, 3});
}

// Better with more steps, and with a rate near 10^-2.5; the cost is that of the steps.
struct Result {
    double loss;
    double cost;
};
Result trained(const Point& at) {
    const double rate = std::log10(at[0]) + 2.5;
    return {.loss = (0.5 * rate * rate) + std::pow(at[1], -0.5) + (at[2] == 1 ? 0 : 0.3), .cost = at[1]};
}

// The area that the front leaves out of [0, ln 100] in log cost and [0, 2] in loss: smaller is better.
double area_left(bool aware, std::uint64_t seed) {
    const Space space = {
        {.min = 1e-5, .max = 1, .log = true}, {.min = 1, .max = 100, .log = true, .integer = true}, {.choices = 3}};
    std::vector<Observation> known;
    for (std::uint64_t i = 0; i < 40; ++i) {
        const Point at = aware ? cost_aware_point(space, known, seed, i) : random_point(space, seed, i);
        known.push_back({.point = at, .loss = trained(at).loss, .cost = trained(at).cost});
    }
    double area = 0;
    double loss = 2;
    double cost = 0;
    for (const std::size_t each : pareto_front(known)) {
        area += loss * (std::log(known[each].cost) - cost);
        cost = std::log(known[each].cost);
        loss = std::min(loss, known[each].loss);
    }
    return area + (loss * (std::log(100) - cost));
}

double median_area(bool aware) {
    std::vector<double> areas;
    for (std::uint64_t seed = 0; seed < 9; ++seed) {
        areas.push_back(area_left(aware, seed));
    }
    std::ranges::sort(areas);
    return areas[4];
}

TEST_CASE("the cost-aware search pushes the whole front further than random points") {
    const double aware = median_area(true);
    const double random = median_area(false);
    INFO("aware " << aware << ", random " << random);
    CHECK(aware > 0);
    CHECK(aware < 0.9 * random);
}

TEST_CASE("cost-aware points are in their ranges and repeat; failures and equal costs are no mistake") {
    const Space space = {{.choices = 2}, {.min = 1, .max = 4, .integer = true}};
    std::vector<Observation> known;
    for (std::uint64_t i = 0; i < 30; ++i) {
        const Point at = cost_aware_point(space, known, 2, i);
        CHECK(at == cost_aware_point(space, known, 2, i));
        CHECK(((at[0] == 0 || at[0] == 1) && at[1] == std::round(at[1]) && at[1] >= 1 && at[1] <= 4));
        known.push_back({.point = at, .loss = i % 3 == 0 ? std::nan("") : 1.0, .cost = 0});
    }
}

}  // namespace cost_aware_test
