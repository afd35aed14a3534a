// SPDX-License-Identifier: Apache-2.0
// Searches as functions: what they cover, that they repeat, and how close they come to a known minimum.
#include "commands/sweep/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

#include "support/catch.hpp"

namespace search_test {

using namespace tenon;

double branin(double x, double y) {
    constexpr double pi = std::numbers::pi;
    const double bowl = y - (5.1 / (4 * pi * pi) * x * x) + (5 / pi * x) - 6;
    return (bowl * bowl) + (10 * (1 - (1 / (8 * pi))) * std::cos(x)) + 10;
}

double best_loss(bool tpe, std::uint64_t seed) {
    const Space space = {{.min = -5, .max = 10}, {.min = 0, .max = 15}};
    std::vector<Observation> known;
    double best = HUGE_VAL;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const Point at = tpe ? tpe_point(space, known, seed, i) : random_point(space, seed, i);
        known.push_back({.point = at, .loss = branin(at[0], at[1])});
        best = std::min(best, known.back().loss);
    }
    return best;
}

double median_loss(bool tpe) {
    std::vector<double> losses;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        losses.push_back(best_loss(tpe, seed));
    }
    std::ranges::sort(losses);
    return (losses[9] + losses[10]) / 2;
}

TEST_CASE("on Branin, TPE comes closer than random points in the median") {
    const double tpe = median_loss(true);
    const double random = median_loss(false);
    INFO("tpe " << tpe << ", random " << random);
    CHECK(tpe > 0.397887);  // the minimum
    CHECK(tpe < random);
    CHECK(tpe < 0.7);
}

TEST_CASE("a grid has every combination once") {
    const Space space = {{.choices = 2}, {.choices = 3}};
    REQUIRE(grid_size(space, 100) == 6);
    CHECK(grid_size(space, 5) == 5);
    std::set<Point> points;
    for (std::size_t i = 0; i < 6; ++i) {
        points.insert(grid_point(space, i));
    }
    CHECK(points.size() == 6);
    CHECK(grid_point(space, 1) == Point{0, 1});
}

TEST_CASE("points are in their ranges, repeat, and differ by seed and number") {
    const Space space = {
        {.choices = 3}, {.min = 1e-5, .max = 1e-1, .log = true}, {.min = 1, .max = 4, .integer = true}};
    std::vector<Observation> known;
    std::set<double> integers;
    int small = 0;
    for (std::uint64_t i = 0; i < 200; ++i) {
        const Point at = tpe_point(space, known, 7, i);
        CHECK(at == tpe_point(space, known, 7, i));
        CHECK(at != tpe_point(space, known, 8, i));
        CHECK((at[0] == 0 || at[0] == 1 || at[0] == 2));
        CHECK((at[1] >= 1e-5 && at[1] <= 1e-1));
        CHECK(at[2] == std::round(at[2]));
        integers.insert(random_point(space, 7, i)[2]);
        small += random_point(space, 7, i)[1] < 1e-3 ? 1 : 0;
        known.push_back({.point = at, .loss = i % 5 == 0 ? std::nan("") : at[1]});
    }
    CHECK(integers == std::set<double>{1, 2, 3, 4});
    CHECK((small > 80 && small < 120));  // half of the range by ratio
}

TEST_CASE("TPE prefers the choice that is better, and does without any if all points failed") {
    const Space space = {{.choices = 4}};
    std::vector<Observation> known;
    std::vector<Observation> failed;
    int preferred = 0;
    for (std::uint64_t i = 0; i < 60; ++i) {
        const Point at = tpe_point(space, known, 1, i);
        preferred += i >= 30 && at[0] == 2 ? 1 : 0;
        known.push_back({.point = at, .loss = at[0] == 2 ? 0.0 : 1.0});
        failed.push_back({.point = at, .loss = std::nan("")});
    }
    CHECK(preferred > 15);
    CHECK(tpe_point(space, failed, 1, 60) == random_point(space, 1, 60));
}

}  // namespace search_test
